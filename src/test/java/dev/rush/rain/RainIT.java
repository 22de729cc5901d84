package dev.rush.rain;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

/** Rains on one Redis. */
class RainIT extends RainSuite {

    @Override
    Environment environment() {
        return Environments.single();
    }
}
