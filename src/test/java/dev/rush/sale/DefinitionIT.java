package dev.rush.sale;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

class DefinitionIT extends DefinitionSuite {
    @Override
    Environment environment() {
        return Environments.single();
    }
}
