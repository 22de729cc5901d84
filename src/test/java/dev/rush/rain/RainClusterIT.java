package dev.rush.rain;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

/** Rains on a Redis Cluster. */
class RainClusterIT extends RainSuite {

    @Override
    Environment environment() {
        return Environments.cluster();
    }
}
