package dev.rush.sale;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

class OrderIT extends OrderSuite {
    @Override
    Environment environment() {
        return Environments.single();
    }
}
