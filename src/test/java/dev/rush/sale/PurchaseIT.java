package dev.rush.sale;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

class PurchaseIT extends PurchaseSuite {
    @Override
    Environment environment() {
        return Environments.single();
    }
}
