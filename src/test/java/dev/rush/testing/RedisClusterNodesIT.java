package dev.rush.testing;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The cluster of the tests fails over and heals. */
class RedisClusterNodesIT {
    private static final String KEY = "rush:{p07}:seq";
    private static final int SLOT = Slots.of(KEY);

    @Test
    void clusterSurvivesKillPauseAndPlannedFailover() {
        try (RedisClusterNodes cluster = RedisClusterNodes.start()) {
            try (Resp resp = cluster.resp(KEY)) {
                assertThat(resp.number("CLUSTER", "KEYSLOT", KEY)).isEqualTo(SLOT);
                resp.command("SET", KEY, "1");
            }

            RedisNode first = cluster.masterOf(SLOT);
            cluster.awaitReplicas();
            first.server().kill();
            RedisNode second = cluster.awaitFailover(SLOT, first);
            assertThat(read(cluster)).isEqualTo("1");
            cluster.heal();
            assertThat(first.view().master()).isFalse();

            second.server().pause();
            assertThat(cluster.awaitFailover(SLOT, second)).isSameAs(first);
            cluster.heal();
            assertThat(second.view().masterId()).isEqualTo(first.id());

            failOver(cluster);
            failOver(cluster); // At once again.

            cluster.onEveryNode("CONFIG", "SET", "maxmemory", "100mb");
            cluster.onEveryMaster("FLUSHALL");
            cluster.awaitHealthy();
            assertThat(read(cluster)).isNull();
        }
    }

    private static void failOver(RedisClusterNodes cluster) {
        RedisNode old = cluster.masterOf(SLOT);
        assertThat(cluster.failover(SLOT)).isNotSameAs(old);
        assertThat(read(cluster)).isEqualTo("1");
    }

    /** Asks the current master: on a busy machine Redis may fail over once more by itself. */
    private static @Nullable Object read(RedisClusterNodes cluster) {
        try (Resp master = cluster.resp(KEY)) {
            return master.command("GET", KEY);
        }
    }
}
