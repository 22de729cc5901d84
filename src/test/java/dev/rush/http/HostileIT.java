package dev.rush.http;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;

class HostileIT extends HostileSuite {
    @Override
    Environment environment() {
        return Environments.single();
    }
}
