package dev.rush.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.Tenure;
import dev.rush.testing.Resp;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How a partition keeps its tenures, each as a scene. */
final class TenureScenes {
    private static final Partition PARTITION = new Partitions(64).of(SaleGate.SALE);
    private static final String SEQUENCE = PARTITION.key("seq");
    private static final String TENURES = PARTITION.key("tenures");
    private static final int TENURES_MAX = 64;

    private final LuaScripts scripts;
    private final Resp redis;

    TenureScenes(LuaScripts scripts) {
        this.scripts = scripts;
        this.redis = scripts.redis();
    }

    /** All scenes by what they show. */
    Map<String, Runnable> all() {
        Map<String, Runnable> all = new LinkedHashMap<>();
        all.put("I6: a process's first call begins a tenure at the current number", this::begun);
        all.put("I6: later calls of one process begin no tenure", this::kept);
        all.put("I6: another process begins a tenure after the earlier ones", this::another);
        all.put("the latest 64 tenures are kept", this::bounded);
        all.put("without Redis's run id there are no tenures", this::hidden);
        return all;
    }

    private List<Tenure> tenures() {
        return ((List<?>) scripts.call("redis/tenures", List.of(SEQUENCE, TENURES), List.of()))
                .stream().map(tenure -> Tenure.parse(tenure.toString())).toList();
    }

    private String runId() {
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
        redis.command("DEL", SEQUENCE, TENURES);
    }

    private void begun() {
        empty();
        long before = now();
        List<Tenure> first = tenures();
        assertThat(first).hasSize(1);
        assertThat(first.get(0).runId()).isEqualTo(runId());
        assertThat(first.get(0).low()).isZero();
        assertThat(first.get(0).begunMs()).isBetween(before, now());
    }

    private void kept() {
        empty();
        redis.command("SET", SEQUENCE, "7");
        List<Tenure> first = tenures();
        redis.command("SET", SEQUENCE, "9007199254740000");
        assertThat(tenures()).isEqualTo(first).extracting(Tenure::low).containsExactly(7L);
    }

    private void another() {
        empty();
        redis.command("RPUSH", TENURES, "one 3 4", runId() + " 5 6", "other 7 8");
        redis.command("SET", SEQUENCE, "9007199254740000");
        assertThat(tenures()).hasSize(4).extracting(Tenure::low)
                .containsExactly(3L, 5L, 7L, 9_007_199_254_740_000L);
        assertThat(redis.number("LLEN", TENURES)).isEqualTo(4);
    }

    private void bounded() {
        empty();
        for (int i = 1; i <= TENURES_MAX; i++) {
            redis.command("RPUSH", TENURES, "other " + i + " 0");
            if (i == TENURES_MAX - 1) {
                assertThat(tenures()).extracting(Tenure::low).hasSize(TENURES_MAX).startsWith(1L);
                redis.command("RPOP", TENURES);
            }
        }
        assertThat(tenures()).extracting(Tenure::low).hasSize(TENURES_MAX).startsWith(2L);
    }

    private void hidden() {
        empty();
        redis.command("ACL", "SETUSER", "limited", "on", "nopass", "~*", "+@all", "-info");
        redis.command("AUTH", "limited", "-");
        try {
            assertThat(tenures()).isEmpty();
        } finally {
            redis.command("AUTH", "default", "-");
        }
        assertThat(redis.number("EXISTS", TENURES)).isZero();
    }
}
