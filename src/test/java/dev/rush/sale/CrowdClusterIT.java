package dev.rush.sale;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

class CrowdClusterIT extends CrowdSuite {
    @Override
    Environment environment() {
        return Environments.cluster();
    }
}
