package dev.rush.http;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

class HostileClusterIT extends HostileSuite {
    @Override
    Environment environment() {
        return Environments.cluster();
    }
}
