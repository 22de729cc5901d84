package dev.rush.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** What Redis keeps of the ledger's decisions, each as a scene. */
final class LedgerScenes {
    private static final long BACKLOG = 100;
    private static final long DECIDED_MS = 10_000;
    private static final Partition PARTITION = new Partitions(64).of(SaleGate.SALE);

    private final LuaScripts scripts;
    private final SaleGate sale;

    LedgerScenes(LuaScripts scripts) {
        this.scripts = scripts;
        sale = new SaleGate(scripts);
    }

    /** All scenes by what they show. */
    Map<String, Runnable> all() {
        Map<String, Runnable> all = new LinkedHashMap<>();
        all.put("processed entries leave the stream, and decisions are published",
                this::acknowledged);
        all.put("I15: what Redis knows of the ledger never goes back", this::known);
        all.put("I6: a former ledger removes nothing from the stream", this::late);
        all.put("decisions are kept for ten seconds", this::forgotten);
        all.put("an order that the ledger rejected keeps its units and is marked", this::rejected);
        all.put("the latest thousand steps that were reported to clients are kept", this::reported);
        all.put("steps are forgotten, but their list stays", this::stepsForgotten);
        all.put("X2: a partition gets all keys of the exchange between ledger and pods",
                this::ensured);
        return all;
    }

    private static List<String> channels() {
        return PARTITION.keys().named("control", "ledger", "decided", "reported", "expired")
                .texts();
    }

    private long existing() {
        List<String> words = new ArrayList<>(channels());
        words.add(0, "EXISTS");
        return scripts.redis().number(words.toArray(String[]::new));
    }

    private Object ensure() {
        return scripts.call("order/ensure", channels(), List.of());
    }

    private void ensured() {
        sale.clear();
        assertThat(ensure()).isEqualTo(5L);
        assertThat(existing()).isEqualTo(5);
        assertThat(scripts.redis().number("XLEN", PARTITION.key("control"))).isZero();
        assertThat(decided()).isEmpty();
        assertThat(ensure()).isEqualTo(0L);
        for (String key : channels()) {
            scripts.redis().command("DEL", key);
            assertThat(ensure()).as(key).isEqualTo(1L);
            assertThat(existing()).isEqualTo(5);
        }
        acknowledge(3, 1, "o1");
        report("202601 o1 1 confirmed payer:p");
        assertThat(ensure()).isEqualTo(0L);
        assertKnown("3", "1");
        assertThat(decided()).containsExactly("[ids, o1]");
        assertThat(scripts.redis().list("LRANGE", PARTITION.key("reported"), "0", "-1"))
                .isEqualTo(List.of("202601 o1 1 confirmed payer:p", ""));
    }

    private Object acknowledge(long seq, long epoch, String ids, String... entries) {
        List<String> args = new ArrayList<>(
                List.of(Long.toString(seq), Long.toString(epoch), ids));
        args.addAll(List.of(entries));
        return scripts.call("ledger/acknowledge", List.of(PARTITION.key("orders"),
                PARTITION.key("ledger"), PARTITION.key("decided")), args);
    }

    private List<String> entries() {
        return scripts.redis().list("XRANGE", PARTITION.key("orders"), "-", "+").stream()
                .map(entry -> (String) ((List<?>) entry).get(0)).toList();
    }

    private List<String> decided() {
        return scripts.redis().list("XRANGE", PARTITION.key("decided"), "-", "+").stream()
                .map(entry -> ((List<?>) entry).get(1).toString()).toList();
    }

    private void acknowledged() {
        BookScenes.prepare(sale, 0, true);
        BookScenes.buy(sale, "o1", "u", "k1", "a", 1);
        BookScenes.buy(sale, "o2", "u", "k2", "a", 1);
        BookScenes.buy(sale, "o3", "u", "k3", "a", 1);
        List<String> entries = entries();
        assertThat(acknowledge(2, 1, "o1 !o2", entries.get(0), entries.get(1))).isEqualTo(2L);
        assertThat(entries()).containsExactly(entries.get(2));
        assertThat(decided()).containsExactly("[ids, o1 !o2]");
        assertThat(acknowledge(3, 1, "", entries.get(1))).isEqualTo(0L);
        assertThat(acknowledge(3, 1, "", entries.get(2))).isEqualTo(1L);
        assertThat(entries()).isEmpty();
        assertThat(acknowledge(3, 1, "?o9")).isEqualTo(0L);
        assertThat(decided()).containsExactly("[ids, o1 !o2]", "[ids, ?o9]");
    }

    private void assertKnown(String seq, String epoch) {
        assertThat(scripts.redis().list("HMGET", PARTITION.key("ledger"), "seq", "epoch"))
                .isEqualTo(List.of(seq, epoch));
    }

    private void known() {
        sale.clear();
        acknowledge(0, 1, "");
        assertKnown("0", "1");
        acknowledge(12, 2, "");
        assertKnown("12", "2");
        acknowledge(9, 3, "");
        assertKnown("12", "3");
        acknowledge(13, 3, "");
        assertKnown("13", "3");
        long before = scripts.changes();
        acknowledge(13, 3, "");
        assertThat(scripts.changes()).isEqualTo(before);
    }

    private void late() {
        BookScenes.prepare(sale, 0, true);
        BookScenes.buy(sale, "o1", "u", "k1", "a", 1);
        acknowledge(0, 7, "");
        long before = scripts.changes();
        assertThat(acknowledge(1, 6, "o1", entries().get(0))).isEqualTo(-1L);
        assertThat(scripts.changes()).isEqualTo(before);
        assertKnown("0", "7");
        assertThat(reject(6, "u", "o1")).isEqualTo(-1L);
        assertThat(scripts.changes()).isEqualTo(before);
        assertThat(reject(7, "u", "o1")).isEqualTo(1L);
        assertThat(acknowledge(1, 7, "o1", entries().get(0))).isEqualTo(1L);
        assertThat(entries()).isEmpty();
    }

    private void forgotten() {
        sale.clear();
        acknowledge(1, 1, "now");
        String now = (String) ((List<?>) scripts.redis().list(
                "XRANGE", PARTITION.key("decided"), "-", "+").get(0)).get(0);
        long at = Long.parseLong(now.substring(0, now.indexOf('-')));
        sale.clear();
        enter(at - DECIDED_MS - 1, "old");
        enter(at, "young");
        acknowledge(1, 1, "");
        assertThat(decided()).hasSize(2);
        acknowledge(1, 1, "next");
        assertThat(decided()).containsExactly("[ids, young]", "[ids, next]");
        sale.clear();
        // Times of ids go on from the last one, so these are exact.
        enter(at + DECIDED_MS, "first");
        enter(at + 2 * DECIDED_MS, "last");
        acknowledge(1, 1, "next");
        assertThat(decided()).containsExactly("[ids, first]", "[ids, last]", "[ids, next]");
        sale.clear();
        enter(at + DECIDED_MS - 1, "first");
        enter(at + 2 * DECIDED_MS, "last");
        acknowledge(1, 1, "next");
        assertThat(decided()).containsExactly("[ids, last]", "[ids, next]");
    }

    private void enter(long at, String ids) {
        scripts.redis().command("XADD", PARTITION.key("decided"), at + "-1", "ids", ids);
    }

    private Object reject(String... usersAndOrders) {
        return reject(1, usersAndOrders);
    }

    private Object reject(int epoch, String... usersAndOrders) {
        List<String> keys = new ArrayList<>(keys("conf", "buyers"));
        keys.add(PARTITION.key("ledger"));
        List<String> args = new ArrayList<>(List.of(Integer.toString(epoch)));
        args.addAll(List.of(usersAndOrders));
        return scripts.call("ledger/reject", keys, args);
    }

    private static List<String> keys(String... parts) {
        return PARTITION.keys().sale(SaleGate.SALE, parts).texts();
    }

    private String line(String user) {
        return scripts.redis().text("HGET", keys("buyers").get(0), user);
    }

    private void rejected() {
        BookScenes.prepare(sale, 0, true);
        BookScenes.buy(sale, "o1", "u", "k1", "a", 1);
        BookScenes.buy(sale, "o2", "u", "k2", "a", 1);
        BookScenes.buy(sale, "o3", "v", "k3", "a", 1);
        String before = line("u");
        String other = line("v");
        String changes = sale.view().changes();
        assertThat(reject("v", "o9", "u", "o2", "w", "o3")).isEqualTo(1L);
        assertThat(line("u")).isEqualTo(before.replace("\na o2 ", "\nr o2 "));
        assertThat(line("v")).isEqualTo(other);
        assertThat(sale.view().changes()).isNotEqualTo(changes);
        assertThat(sale.view().counters().get("a")).isEqualTo("3/10 0");
        assertThat(BookScenes.buy(sale, "o4", "u", "k2", "a", 1)).isEqualTo("rejected o2");
        assertThat(BookScenes.buy(sale, "o4", "u", "k2", "a", 2)).isEqualTo("key-reused");
        assertThat(BookScenes.buy(sale, "o4", "u", "k1", "a", 1)).startsWith("replayed o1 ");
        long written = scripts.changes();
        assertThat(reject("u", "o2")).isEqualTo(0L);
        assertThat(scripts.changes()).isEqualTo(written);
        sale.credit(List.of(new Purchase(0, "o3", "v", "k3", Map.of())), true);
        assertThat(reject("v", "o3")).isEqualTo(0L);
        assertThat(line("v")).startsWith("e o3 ");
        assertThat(reject("u", "o1", "u", "o2")).isEqualTo(1L);
        assertThat(line("u")).startsWith("r o1 ").contains("\nr o2 ");
    }

    private Object report(String... steps) {
        return report(3, steps);
    }

    private Object report(int epoch, String... steps) {
        List<String> args = new ArrayList<>(List.of(Integer.toString(epoch)));
        args.addAll(List.of(steps));
        return scripts.call("order/report",
                List.of(PARTITION.key("reported"), PARTITION.key("ledger")), args);
    }

    private Object forget(String... steps) {
        return scripts.call("order/forget", List.of(PARTITION.key("reported")), List.of(steps));
    }

    private void stepsForgotten() {
        sale.clear();
        assertThat(forget("202601 o1 1 confirmed payer:p")).isEqualTo(0L);
        assertThat(scripts.redis().number("EXISTS", PARTITION.key("reported"))).isZero();
        report("202601 o1 1 confirmed payer:p", "202601 o2 1 returned buyer:u");
        assertThat(forget("202601 o1 1 confirmed payer:p", "202601 o3 1 confirmed payer:p"))
                .isEqualTo(1L);
        assertThat(kept()).containsExactly("202601 o2 1 returned buyer:u");
        scripts.redis().command("LPUSH", PARTITION.key("reported"),
                "202601 o4 1 confirmed payer:p");
        scripts.redis().command("LPUSH", PARTITION.key("reported"),
                "202601 o4 1 confirmed payer:p");
        assertThat(forget("202601 o4 1 confirmed payer:p")).as("all copies").isEqualTo(2L);
        assertThat(forget("202601 o2 1 returned buyer:u")).isEqualTo(1L);
        assertThat(kept()).containsExactly("");
    }

    private List<Object> kept() {
        return List.copyOf(scripts.redis().list("LRANGE", PARTITION.key("reported"), "0", "-1"));
    }

    private void reported() {
        sale.clear();
        assertThat(report("202601 o1 1 confirmed payer:p", "202601 o2 1 returned buyer:u"))
                .isEqualTo(2L);
        assertThat(report(IntStream.rangeClosed(3, 1000).mapToObj(i ->
                "202601 o" + i + " 1 confirmed payer:p").toArray(String[]::new)))
                .isEqualTo(1000L);
        assertThat(report("202601 o1001 1 confirmed payer:p")).isEqualTo(1000L);
        assertThat(report("202601 o50 1 confirmed payer:p")).as("it is recorded already")
                .isEqualTo(1000L);
        scripts.redis().command("HSET", PARTITION.key("ledger"), "epoch", "3");
        assertThat(report(2, "202601 o0 1 confirmed payer:p")).as("that ledger may be lost")
                .isEqualTo(-1L);
        assertThat(report(3, "202601 o1001 1 confirmed payer:p")).isEqualTo(1000L);
        assertThat(report(3, "202601 o1001 1 confirmed payer:p", "202601 o2 1 returned buyer:u"))
                .as("neither the newest nor the oldest is recorded again").isEqualTo(1000L);
        List<?> kept = kept();
        assertThat(kept).hasSize(1000);
        assertThat(kept.get(0)).isEqualTo("202601 o1001 1 confirmed payer:p");
        assertThat(kept.get(999)).isEqualTo("202601 o2 1 returned buyer:u");
    }
}
