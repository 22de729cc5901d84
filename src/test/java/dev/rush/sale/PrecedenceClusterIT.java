package dev.rush.sale;

import dev.rush.testing.Environment;
import dev.rush.testing.StrictPods;

class PrecedenceClusterIT extends PrecedenceSuite {
    @Override
    Environment environment() {
        return StrictPods.cluster();
    }
}
