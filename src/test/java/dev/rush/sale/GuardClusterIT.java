package dev.rush.sale;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

class GuardClusterIT extends GuardSuite {
    @Override
    Environment environment() {
        return Environments.cluster();
    }
}
