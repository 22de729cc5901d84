package dev.rush.sale;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

class DefinitionClusterIT extends DefinitionSuite {
    @Override
    Environment environment() {
        return Environments.cluster();
    }
}
