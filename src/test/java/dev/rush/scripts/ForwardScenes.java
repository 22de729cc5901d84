package dev.rush.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How pods share the partitions that they forward to Kafka, each as a scene. */
final class ForwardScenes {
    private static final Partition PARTITION = new Partitions(64).of(SaleGate.SALE);
    private static final String LEASE = PARTITION.key("lease");
    private static final String WORDS = "a-sale 1 0 3 3 u o1 k = a:1 9";

    private final LuaScripts scripts;
    private final SaleGate sale;

    ForwardScenes(LuaScripts scripts) {
        this.scripts = scripts;
        sale = new SaleGate(scripts);
    }

    /** All scenes by what they show. */
    Map<String, Runnable> all() {
        Map<String, Runnable> all = new LinkedHashMap<>();
        all.put("O5: one pod has the lease of a partition, until it is released or over",
                this::held);
        all.put("O5: a lease is over in the millisecond in which it ends", this::over);
        all.put("O5: each new holder has a new token", this::tokens);
        all.put("O5: a former holder removes nothing from the stream", this::fenced);
        all.put("O5: partitions are forwarded even at the memory limit", this::full);
        return all;
    }

    private long lease(String holder, long ms) {
        return (Long) scripts.call("event/lease", List.of(LEASE),
                List.of(holder, Long.toString(ms)));
    }

    private long forwarded(String holder, long token, List<String> entries) {
        List<String> args = new ArrayList<>(List.of(holder, Long.toString(token)));
        args.addAll(entries);
        return (Long) scripts.call("event/forwarded",
                List.of(PARTITION.key("orders"), LEASE), args);
    }

    private List<String> entries() {
        return scripts.redis().list("XRANGE", PARTITION.key("orders"), "-", "+").stream()
                .map(entry -> (String) ((List<?>) entry).get(0)).toList();
    }

    private long until() {
        return Long.parseLong(scripts.redis().text("HGET", LEASE, "until"));
    }

    private long now() {
        List<?> time = scripts.redis().list("TIME");
        return Long.parseLong((String) time.get(0)) * 1000
                + Long.parseLong((String) time.get(1)) / 1000;
    }

    private void held() {
        sale.clear();
        long begun = now();
        assertThat(lease("one", 60_000)).isEqualTo(1);
        assertThat(until()).isBetween(begun + 60_000, now() + 60_000);
        assertThat(lease("other", 60_000)).isZero();
        assertThat(lease("other", 0)).isZero();
        assertThat(scripts.redis().text("HGET", LEASE, "holder")).isEqualTo("one");
        long renewed = now();
        assertThat(lease("one", 90_000)).isEqualTo(1);
        assertThat(until()).isBetween(renewed + 90_000, now() + 90_000);
        assertThat(lease("one", 0)).isZero();
        assertThat(until()).isZero();
        assertThat(lease("other", 60_000)).isEqualTo(2);
        scripts.redis().command("HSET", LEASE, "until", Long.toString(now() + 30_000));
        assertThat(lease("one", 60_000)).isZero();
        scripts.redis().command("HSET", LEASE, "until", Long.toString(now() - 1));
        assertThat(lease("one", 60_000)).isEqualTo(3);
        assertThat(scripts.redis().text("HGET", LEASE, "holder")).isEqualTo("one");
    }

    /** Many times, because most but not all calls arrive in the millisecond in which it ends. */
    private void over() {
        sale.clear();
        for (int token = 1; token <= 50; token++) {
            assertThat(lease(token % 2 == 0 ? "one" : "other", 60_000)).isEqualTo(token);
            scripts.redis().command("HSET", LEASE, "until", Long.toString(now()));
        }
    }

    private void tokens() {
        sale.clear();
        assertThat(lease("none", 0)).isZero();
        assertThat(scripts.redis().number("EXISTS", LEASE)).isZero();
        assertThat(lease("one", 60_000)).isEqualTo(1);
        assertThat(lease("one", 0)).isZero();
        // No other pod had it meanwhile.
        assertThat(lease("one", 60_000)).isEqualTo(1);
        assertThat(lease("one", 0)).isZero();
        assertThat(lease("other", 60_000)).isEqualTo(2);
        assertThat(lease("other", 0)).isZero();
        assertThat(lease("one", 60_000)).isEqualTo(3);
    }

    private void fenced() {
        sale.clear();
        for (int i = 0; i < 3; i++) {
            sale.enter("purchase", WORDS);
        }
        List<String> entries = entries();
        assertThat(lease("one", 60_000)).isEqualTo(1);
        assertThat(forwarded("one", 1, entries.subList(1, 2))).isEqualTo(1);
        assertThat(entries()).containsExactly(entries.get(0), entries.get(2));
        assertThat(forwarded("one", 1, entries.subList(1, 2))).isZero();
        assertThat(forwarded("one", 2, entries)).isEqualTo(-1);
        assertThat(forwarded("other", 1, entries)).isEqualTo(-1);
        assertThat(lease("one", 0)).isZero();
        assertThat(lease("other", 60_000)).isEqualTo(2);
        assertThat(forwarded("one", 1, entries)).isEqualTo(-1);
        assertThat(forwarded("one", 2, entries)).isEqualTo(-1);
        assertThat(entries()).hasSize(2);
        assertThat(forwarded("other", 2, entries)).isEqualTo(2);
        assertThat(entries()).isEmpty();
        scripts.redis().command("DEL", LEASE);
        sale.enter("purchase", WORDS);
        assertThat(forwarded("other", 2, entries())).isEqualTo(-1);
        assertThat(entries()).hasSize(1);
    }

    private void full() {
        sale.clear();
        sale.enter("purchase", WORDS);
        scripts.redis().command("CONFIG", "SET", "maxmemory", "1");
        try {
            assertThat(lease("one", 60_000)).isEqualTo(1);
            assertThat(forwarded("one", 1, entries())).isEqualTo(1);
        } finally {
            scripts.redis().command("CONFIG", "SET", "maxmemory", "0");
        }
    }
}
