package dev.rush.testing;

import dev.rush.dev.EmbeddedRedis;
import java.util.List;

/** A test's own Redis, one node or a cluster, which the test may break. */
public final class OwnRedis implements AutoCloseable {
    /** Null for a cluster. */
    private final EmbeddedRedis single;
    private final RedisClusterNodes cluster;

    private OwnRedis(EmbeddedRedis single, RedisClusterNodes cluster) {
        this.single = single;
        this.cluster = cluster;
    }

    public static OwnRedis start(boolean clustered) {
        return clustered ? new OwnRedis(null, RedisClusterNodes.start())
                : new OwnRedis(EmbeddedRedis.start(), null);
    }

    public Environment environment(String name) {
        return single == null ? Environments.on(name + "-cluster", cluster)
                : Environments.on(name, single);
    }

    /** Connections to all nodes, as the default user. */
    public List<Resp> nodes() {
        return single == null ? cluster.nodes().stream().map(RedisNode::resp).toList()
                : List.of(Resp.connect(single.port()));
    }

    @Override
    public void close() {
        if (single == null) {
            cluster.close();
        } else {
            single.close();
        }
    }
}
