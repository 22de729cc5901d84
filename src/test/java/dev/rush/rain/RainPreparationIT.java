package dev.rush.rain;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

class RainPreparationIT extends RainPreparationSuite {
    @Override
    Environment environment() {
        return Environments.single();
    }
}
