package dev.rush.rain;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

class RainViewIT extends RainViewSuite {
    @Override
    Environment environment() {
        return Environments.single();
    }
}
