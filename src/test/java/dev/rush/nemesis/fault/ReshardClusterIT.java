package dev.rush.nemesis.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.nemesis.Topology;
import dev.rush.testing.RedisClusterNodes;
import dev.rush.testing.RedisNode;
import dev.rush.testing.Resp;
import dev.rush.testing.Slots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** A slot whose move failed halfway comes back with all of its keys. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ReshardClusterIT {
    private static final String TAG = "rush:{p07}:";
    private static final int SLOT = Slots.of(TAG);
    private static final int KEYS = 40;
    private static final int VALUE_BYTES = 500_000;
    private static RedisClusterNodes cluster;

    @BeforeAll
    static void start() {
        cluster = RedisClusterNodes.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    @Order(1)
    void slotIsBackAfterAFailedMove() {
        RedisNode source = cluster.masterOf(SLOT);
        List<RedisNode> others = new ArrayList<>(cluster.masters());
        others.remove(source);
        RedisNode target = others.get(0);
        fill(source);
        // Less than a third of the keys fit.
        target.command("CONFIG", "SET", "maxmemory", "9mb");

        assertThatThrownBy(() -> Reshard.move(
                cluster, SLOT, source, target, Duration.ofMillis(200)))
                .isInstanceOf(AssertionError.class);
        assertThat((String) source.command("CLUSTER", "NODES")).contains("[" + SLOT + "->-");
        target.command("CONFIG", "SET", "maxmemory", "0");
        Reshard.moveBack(cluster, SLOT, source, target);

        assertThat(cluster.ownerOf(SLOT)).contains(source);
        assertThat((String) source.command("CLUSTER", "NODES")).doesNotContain("[" + SLOT);
        assertThat((String) target.command("CLUSTER", "NODES")).doesNotContain("[" + SLOT);
        assertThat(keys(source)).isEqualTo(KEYS);
    }

    @Test
    void slotIsBackAfterItsSourceFailedOver() {
        RedisNode source = cluster.masterOf(SLOT);
        List<RedisNode> others = new ArrayList<>(cluster.masters());
        others.remove(source);
        RedisNode target = others.get(0);
        fill(source);
        int neighbor = source.view().slots().get(0).first();
        assertThat(neighbor).isNotEqualTo(SLOT);
        Reshard.move(cluster, SLOT, source, target, Topology.HEALING_LIMIT);
        RedisNode next = cluster.failover(neighbor);

        Reshard.moveBack(cluster, SLOT, source, target);

        assertThat(cluster.ownerOf(SLOT)).contains(next);
        assertThat(keys(next)).isEqualTo(KEYS);
    }

    private static void fill(RedisNode node) {
        for (int i = 0; i < KEYS; i++) {
            node.command("SET", TAG + i, "x".repeat(VALUE_BYTES));
        }
    }

    private static long keys(RedisNode node) {
        try (Resp resp = node.resp()) {
            return resp.number("CLUSTER", "COUNTKEYSINSLOT", Integer.toString(SLOT));
        }
    }
}
