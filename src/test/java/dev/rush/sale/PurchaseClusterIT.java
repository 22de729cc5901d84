package dev.rush.sale;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

class PurchaseClusterIT extends PurchaseSuite {
    @Override
    Environment environment() {
        return Environments.cluster();
    }
}
