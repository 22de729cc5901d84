package dev.rush.sale;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

class SaleClusterIT extends SaleSuite {
    @Override
    Environment environment() {
        return Environments.cluster();
    }
}
