package dev.rush.http;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

class BlocklistClusterIT extends BlocklistSuite {
    @Override
    Environment environment() {
        return Environments.cluster();
    }
}
