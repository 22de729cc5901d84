package dev.rush.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Rescheduling: when it is refused, what it changes, and what the ledger receives. */
final class ScheduleScenes {
    private static final Partition PARTITION = new Partitions(64).of(SaleGate.SALE);
    private static final String CONF = PARTITION.keys().sale(SaleGate.SALE, "conf").texts().get(0);
    private static final String NOTE = "schedule " + SaleGate.SALE;
    private static final long HOUR_MS = 3_600_000;

    private final LuaScripts scripts;
    private final SaleGate sale;

    ScheduleScenes(LuaScripts scripts) {
        this.scripts = scripts;
        sale = new SaleGate(scripts);
    }

    /** All scenes by what they show. */
    Map<String, Runnable> all() {
        Map<String, Runnable> all = new LinkedHashMap<>();
        all.put("P11: rescheduling is refused in this order", this::refused);
        all.put("P11: rescheduling is based on the current terms, and noted once", this::decided);
        all.put("P11: a shard follows the latest schedule, closed or not", this::followed);
        all.put("P11: control and rescheduling share one number", this::numbered);
        return all;
    }

    private String call(String definition, long opensAt, long closesAt, String earlier,
            String version, String note) {
        return (String) scripts.call("sale/reschedule",
                List.of(CONF, PARTITION.key("unfinished"), PARTITION.key("control")),
                List.of(LuaScripts.NEVER, definition, Long.toString(opensAt),
                        Long.toString(closesAt), earlier, version, note, "id sale s",
                        "operator:ann", "why"));
    }

    private void prepare() {
        BookScenes.prepare(sale, 0, true);
        scripts.redis().command("HSET", CONF, "definition", "one", "closes_at", "0", "changes",
                "5");
        scripts.redis().command("DEL", PARTITION.key("control"));
        scripts.redis().command("HDEL", PARTITION.key("unfinished"), NOTE);
    }

    private List<String> conf() {
        List<String> found = new ArrayList<>();
        scripts.redis().list("HMGET", CONF, "definition", "opens_at", "closes_at", "changes",
                "schedule").forEach(value -> found.add(String.valueOf(value)));
        return found;
    }

    private List<?> entries() {
        return scripts.redis().list("XRANGE", PARTITION.key("control"), "-", "+");
    }

    private String noted() {
        return scripts.redis().text("HGET", PARTITION.key("unfinished"), NOTE);
    }

    private void refused() {
        long now = System.currentTimeMillis();
        prepare();
        scripts.redis().command("HSET", CONF, "loading", "epoch", "closes_at", "1");
        assertThat(call("two", 0, 1, "other", "-", NOTE)).isEqualTo("not-loaded");
        scripts.redis().command("HDEL", CONF, "loading");
        assertThat(call("two", 0, 1, "other", "-", NOTE)).isEqualTo("closed");
        scripts.redis().command("HSET", CONF, "closes_at", "0", "closed_at", "7");
        assertThat(call("two", 0, 1, "other", "-", NOTE)).isEqualTo("closed");
        scripts.redis().command("HSET", CONF, "closed_at", "0");
        assertThat(call("two", 0, now - HOUR_MS, "other", "-", NOTE)).isEqualTo("past");
        assertThat(call("two", 0, now + HOUR_MS, "other", "-", NOTE)).isEqualTo("overtaken");
        assertThat(conf()).containsExactly("one", "0", "0", "5", "null");
        assertThat(entries()).isEmpty();
        assertThat(noted()).isNull();
        scripts.redis().command("DEL", CONF);
        assertThat(call("two", 0, 1, "one", "-", NOTE)).isEqualTo("unknown-sale");
        assertThat(call("two", 0, 1, "", "9", "-")).isEqualTo("unknown-sale");
    }

    private void decided() {
        prepare();
        long now = System.currentTimeMillis();
        long ends = now + HOUR_MS;
        assertThat(call("one", 0, 0, "one", "-", NOTE)).isEqualTo("done 0");
        assertThat(conf()).containsExactly("one", "0", "0", "5", "0");
        String reply = call("two", 3, ends, "one", "-", NOTE);
        String version = reply.substring("done ".length());
        Workload.isNow(now, Long.parseLong(version));
        assertThat(conf()).containsExactly("two", "3", Long.toString(ends), "6", version);
        assertThat(noted()).isEqualTo(version);
        assertThat(call("two", 3, ends, "two", "-", NOTE)).isEqualTo(reply);
        assertThat(entries()).hasSize(1);
        List<?> fields = (List<?>) ((List<?>) entries().get(0)).get(1);
        String[] words = fields.get(1).toString().split(" ");
        Workload.isNow(now, Long.parseLong(words[5]));
        words[5] = "now";
        assertThat(String.join(" ", words))
                .isEqualTo("id sale s reschedule " + version + " now operator:ann 0 " + ends);
        assertThat(fields.subList(2, 6)).asString().isEqualTo("[cause, why, terms, two]");
        scripts.redis().command("HDEL", PARTITION.key("unfinished"), NOTE);
        assertThat(call("three", 3, 0, "two", "-", "-")).startsWith("done ");
        assertThat(conf().subList(0, 4)).containsExactly("three", "3", "0", "7");
        assertThat(noted()).isNull();
    }

    private void followed() {
        prepare();
        scripts.redis().command("HSET", CONF, "closed_at", "7", "closes_at", "1", "loading", "e");
        assertThat(call("two", 3, 2, "", "20", "-")).isEqualTo("done 20");
        assertThat(conf()).containsExactly("two", "3", "2", "6", "20");
        assertThat(call("old", 1, 1, "", "19", "-")).isEqualTo("done 20");
        assertThat(conf()).containsExactly("two", "3", "2", "6", "20");
        assertThat(call("same", 4, 5, "", "20", "-")).isEqualTo("done 20");
        assertThat(conf()).containsExactly("same", "4", "5", "7", "20");
        assertThat(call("same", 4, 5, "", "21", "-")).isEqualTo("done 21");
        assertThat(conf()).containsExactly("same", "4", "5", "7", "21");
        assertThat(entries()).isEmpty();
    }

    private void numbered() {
        prepare();
        long ahead = System.currentTimeMillis() + HOUR_MS;
        scripts.redis().command("HSET", CONF, "schedule", Long.toString(ahead));
        assertThat(control("pause")).isEqualTo("done " + (ahead + 1));
        assertThat(call("two", 0, 0, "one", "-", "-")).isEqualTo("done " + (ahead + 2));
        assertThat(call("three", 0, 0, "two", "-", "-")).isEqualTo("done " + (ahead + 3));
        assertThat(control("resume")).isEqualTo("done " + (ahead + 4));
    }

    private String control(String action) {
        return (String) scripts.call("offer/control",
                List.of(CONF, PARTITION.key("unfinished"), PARTITION.key("control")),
                List.of(LuaScripts.NEVER, action, "unknown-sale", "-", "-", "-", "", ""));
    }
}
