package dev.rush.redis;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.RedisClusterNodes;
import dev.rush.testing.RedisNode;
import dev.rush.testing.Resp;
import java.util.List;

class AclClusterIT extends AclSuite {
    private RedisClusterNodes cluster;

    @Override
    Environment startRedis() {
        cluster = RedisClusterNodes.start();
        return Environments.on("acl-cluster", cluster);
    }

    @Override
    void stopRedis() {
        cluster.close();
    }

    @Override
    List<Resp> nodes() {
        return cluster.nodes().stream().map(RedisNode::resp).toList();
    }
}
