package dev.rush.nemesis.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.testing.RedisClusterNodes;
import dev.rush.testing.RedisNode;
import dev.rush.testing.Resp;
import dev.rush.testing.Slots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A slot whose move failed halfway comes back with all of its keys. */
class ReshardClusterIT {
    private static final String TAG = "rush:{p07}:";
    private static final int SLOT = Slots.of(TAG);
    private static final int KEYS = 40;
    private static final int VALUE_BYTES = 500_000;

    @Test
    void slotIsBackAfterAFailedMove() {
        try (RedisClusterNodes cluster = RedisClusterNodes.start()) {
            RedisNode source = cluster.masterOf(SLOT);
            List<RedisNode> others = new ArrayList<>(cluster.masters());
            others.remove(source);
            RedisNode target = others.get(0);
            for (int i = 0; i < KEYS; i++) {
                source.command("SET", TAG + i, "x".repeat(VALUE_BYTES));
            }
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
            try (Resp resp = source.resp()) {
                assertThat(resp.number("CLUSTER", "COUNTKEYSINSLOT", Integer.toString(SLOT)))
                        .isEqualTo(KEYS);
            }
        }
    }
}
