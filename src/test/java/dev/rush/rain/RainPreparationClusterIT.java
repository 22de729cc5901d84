package dev.rush.rain;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

class RainPreparationClusterIT extends RainPreparationSuite {
    @Override
    Environment environment() {
        return Environments.cluster();
    }
}
