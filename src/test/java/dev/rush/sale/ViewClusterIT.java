package dev.rush.sale;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

class ViewClusterIT extends ViewSuite {
    @Override
    Environment environment() {
        return Environments.cluster();
    }
}
