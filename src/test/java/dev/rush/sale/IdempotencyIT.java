package dev.rush.sale;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

class IdempotencyIT extends IdempotencySuite {
    @Override
    Environment environment() {
        return Environments.single();
    }
}
