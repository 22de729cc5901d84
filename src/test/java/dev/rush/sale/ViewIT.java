package dev.rush.sale;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

class ViewIT extends ViewSuite {
    @Override
    Environment environment() {
        return Environments.single();
    }
}
