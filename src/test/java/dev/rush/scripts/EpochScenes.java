package dev.rush.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.Epoch;
import dev.rush.testing.Resp;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How a partition keeps its epochs, each as a scene. */
final class EpochScenes {
    private static final Partition PARTITION = new Partitions(64).of(SaleGate.SALE);
    private static final String SEQUENCE = PARTITION.key("seq");
    private static final String EPOCHS = PARTITION.key("epochs");
    private static final int MOST = 64;

    private final LuaScripts scripts;
    private final Resp redis;

    EpochScenes(LuaScripts scripts) {
        this.scripts = scripts;
        this.redis = scripts.redis();
    }

    /** All scenes by what they show. */
    Map<String, Runnable> all() {
        Map<String, Runnable> all = new LinkedHashMap<>();
        all.put("I6: a process's first call begins an epoch at the present number", this::begun);
        all.put("I6: later calls of one process begin no epoch", this::kept);
        all.put("I6: another process begins an epoch behind those that were", this::another);
        all.put("the latest 64 epochs are kept", this::bounded);
        all.put("where Redis hides its run id there are no epochs", this::hidden);
        return all;
    }

    private List<Epoch> epochs() {
        return ((List<?>) scripts.call("redis/epochs", List.of(SEQUENCE, EPOCHS), List.of()))
                .stream().map(epoch -> Epoch.parse(epoch.toString())).toList();
    }

    private String server() {
        return redis.text("INFO", "server").lines().filter(line -> line.startsWith("run_id:"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst().orElseThrow();
    }

    private long now() {
        List<?> time = redis.list("TIME");
        return Long.parseLong(time.get(0).toString()) * 1000
                + Long.parseLong(time.get(1).toString()) / 1000;
    }

    private void empty() {
        redis.command("DEL", SEQUENCE, EPOCHS);
    }

    private void begun() {
        empty();
        long before = now();
        List<Epoch> first = epochs();
        assertThat(first).hasSize(1);
        assertThat(first.get(0).server()).isEqualTo(server());
        assertThat(first.get(0).low()).isZero();
        assertThat(first.get(0).begunMs()).isBetween(before, now());
    }

    private void kept() {
        empty();
        redis.command("SET", SEQUENCE, "7");
        List<Epoch> first = epochs();
        redis.command("SET", SEQUENCE, "9007199254740000");
        assertThat(epochs()).isEqualTo(first).extracting(Epoch::low).containsExactly(7L);
    }

    private void another() {
        empty();
        redis.command("RPUSH", EPOCHS, "one 3 4", server() + " 5 6", "other 7 8");
        redis.command("SET", SEQUENCE, "9007199254740000");
        assertThat(epochs()).hasSize(4).extracting(Epoch::low)
                .containsExactly(3L, 5L, 7L, 9_007_199_254_740_000L);
        assertThat(redis.number("LLEN", EPOCHS)).isEqualTo(4);
    }

    private void bounded() {
        empty();
        for (int i = 1; i <= MOST; i++) {
            redis.command("RPUSH", EPOCHS, "other " + i + " 0");
            if (i == MOST - 1) {
                assertThat(epochs()).extracting(Epoch::low).hasSize(MOST).startsWith(1L);
                redis.command("RPOP", EPOCHS);
            }
        }
        assertThat(epochs()).extracting(Epoch::low).hasSize(MOST).startsWith(2L);
    }

    private void hidden() {
        empty();
        redis.command("ACL", "SETUSER", "limited", "on", "nopass", "~*", "+@all", "-info");
        redis.command("AUTH", "limited", "-");
        try {
            assertThat(epochs()).isEmpty();
        } finally {
            redis.command("AUTH", "default", "-");
        }
        assertThat(redis.number("EXISTS", EPOCHS)).isZero();
    }
}
