package dev.rush.sale;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

class GuardIT extends GuardSuite {
    @Override
    Environment environment() {
        return Environments.single();
    }
}
