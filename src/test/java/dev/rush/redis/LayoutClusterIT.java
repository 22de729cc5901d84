package dev.rush.redis;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.RedisClusterNodes;

class LayoutClusterIT extends LayoutSuite {

    private RedisClusterNodes cluster;

    @Override
    Environment start() {
        cluster = RedisClusterNodes.start();
        return Environments.on("layout-cluster", cluster);
    }

    @Override
    void stop() {
        cluster.close();
    }
}
