package dev.rush.scripts;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The scripts that compare the sale of {@link SaleGate} with the ledger, repair and remove it. */
final class BookGate {
    private static final String SALE = SaleGate.SALE;
    private static final Partition PARTITION = new Partitions(64).of(SALE);
    private static final String FOREIGN = "another-sale 1 0 1 1 u o k = a:1 1";

    private final LuaScripts scripts;

    BookGate(LuaScripts scripts) {
        this.scripts = scripts;
    }

    /** A shard at one instant, with notes of transfers that left and given ones that arrived. */
    record Snapshot(long now, long sequence, String last, long entries, String word,
            Map<String, String> counters, Map<String, String> notes, List<String> given) {
    }

    /** An order as the ledger has it; state c if its units were credited. */
    record Kept(String state, String user, String key, String order, String lines,
            String lefts) {

        static final String PLACED_AT = "1700000000000";

        /** The reply to a repeated purchase. */
        String replayed() {
            return String.join(" ", "replayed", order, PLACED_AT, "0", lines, lefts);
        }

        private String clientKey() {
            return key.equals(order) ? "" : key;
        }

        private String line() {
            return String.join(" ", state, order, clientKey(), "=", lines, lefts, PLACED_AT, "0",
                    "0");
        }
    }

    Snapshot snapshot(String... asked) {
        List<String> keys = new ArrayList<>(keys("conf", "stock", "buyers"));
        keys.addAll(List.of(PARTITION.key("orders"), PARTITION.key("seq")));
        keys.addAll(keys("transfers", "received"));
        List<?> reply = (List<?>) scripts.call("reconciliation/snapshot", keys, List.of(asked));
        return new Snapshot((Long) reply.get(0), (Long) reply.get(1), (String) reply.get(2),
                (Long) reply.get(3), (String) reply.get(4), Pairs.of(reply.get(5)),
                Pairs.of(reply.get(6)), texts(reply.get(7)));
    }

    /** The last entry of the stream. */
    String last() {
        return (String) ((List<?>) scripts.redis().list(
                "XREVRANGE", PARTITION.key("orders"), "+", "-", "COUNT", "1").get(0)).get(0);
    }

    /** The last entry read in a part of the stream, then its orders: "order lines". */
    List<String> waiting(String after, String last, int max) {
        return texts(scripts.call("reconciliation/waiting", List.of(PARTITION.key("orders")),
                List.of("purchase", SALE, after, last, Integer.toString(max))));
    }

    /** The number of waiting entries, and the age of the oldest. */
    List<?> backlog() {
        return (List<?>) scripts.call("order/backlog", List.of(PARTITION.key("orders"),
                PARTITION.key("seq")), List.of());
    }

    /** Adds an order of another sale of the partition, under an entry id. */
    void addForeign(String entry) {
        scripts.redis().command("XADD", PARTITION.key("orders"), entry, "purchase", FOREIGN);
    }

    /** Sells something of another sale of the partition. */
    void sellForeign() {
        String number = Long.toString(scripts.redis().number("INCR", PARTITION.key("seq")));
        scripts.redis().command("XADD", PARTITION.key("orders"), "*", "purchase",
                FOREIGN.replace(" 1 1 ", " " + number + " " + number + " "));
    }

    /** Lists another sale of the partition. */
    void listForeign() {
        scripts.redis().command("ZADD", PARTITION.key("sales"), "1", "another-sale");
    }

    boolean isForeignListed() {
        return scripts.redis().text("ZSCORE", PARTITION.key("sales"), "another-sale") != null;
    }

    /** Requeues orders, each of a user that is named after it. */
    long requeue(String... orders) {
        List<String> keys = new ArrayList<>(keys("buyers"));
        keys.addAll(List.of(PARTITION.key("orders"), PARTITION.key("seq")));
        List<String> args = new ArrayList<>(List.of(SALE));
        for (String order : orders) {
            args.addAll(List.of("u-" + order, order));
        }
        return (Long) scripts.call("reconciliation/requeue", keys, args);
    }

    /** Replays an entry, given by its words before and after its place in the stream. */
    void replay(String before, String after) {
        scripts.call("order/replay", List.of(PARTITION.key("orders"), PARTITION.key("seq")),
                List.of("purchase", before, after));
    }

    /** The places of all entries in the stream. */
    List<String> places() {
        return scripts.redis().list("XRANGE", PARTITION.key("orders"), "-", "+").stream()
                .map(entry -> ((List<?>) ((List<?>) entry).get(1)).get(1).toString())
                .map(words -> words.split(" ")[3]).toList();
    }

    String adjust(String sku, long units) {
        return adjust(sku, units, 0);
    }

    /** Corrects the ordered units; of those given back, the excess leaves the total too. */
    String adjust(String sku, long units, long excess) {
        return (String) scripts.call("reconciliation/adjust", keys("conf", "stock"),
                List.of(LuaScripts.NEVER, sku, Long.toString(units), Long.toString(excess),
                        "-", "", ""));
    }

    /** Brings a total in line with the ledger's; whole is - for none. */
    String total(String sku, long units, long version, String whole) {
        return (String) scripts.call("reconciliation/total", keys("conf", "stock"),
                List.of(LuaScripts.NEVER, sku, Long.toString(units), Long.toString(version),
                        whole, "-", "", ""));
    }

    List<String> restore(Kept... orders) {
        List<String> args = new ArrayList<>();
        for (Kept order : orders) {
            args.addAll(List.of(order.user(), order.order(), order.clientKey(), order.lines(),
                    order.state(), order.line()));
        }
        return texts(scripts.call("order/restore", keys("conf", "stock", "buyers"), args));
    }

    String clear(boolean evenWhole) {
        return clear(evenWhole, "1");
    }

    String clear(boolean evenWhole, String records) {
        return (String) scripts.call("reconciliation/clear", keys("conf", "stock", "buyers",
                "transfers", "received"), List.of(evenWhole ? "1" : "0", records));
    }

    /** Writes the line of an order again. */
    String fill(Kept order) {
        return (String) scripts.call("reconciliation/fill", keys("stock", "buyers"),
                List.of(order.user(), order.line(), order.clientKey()));
    }

    /** Writes terms and stock: a part, a field and a value each. Returns the whole reply. */
    List<?> release(long preparedAt, long leastSequence, boolean listed, String... fields) {
        List<String> keys = new ArrayList<>(keys("conf", "stock"));
        keys.addAll(List.of(PARTITION.key("sales"), PARTITION.key("seq")));
        List<String> args = new ArrayList<>(List.of(SALE, Long.toString(preparedAt),
                Long.toString(leastSequence), listed ? "1" : "0"));
        args.addAll(List.of(fields));
        return (List<?>) scripts.call("reconciliation/release", keys, args);
    }

    String retire() {
        List<String> keys = new ArrayList<>(keys("conf"));
        keys.addAll(List.of(PARTITION.key("sales"), PARTITION.key("orders"), PARTITION.key("seq")));
        keys.addAll(keys("stock", "buyers", "transfers", "received"));
        return (String) scripts.call("reconciliation/retire", keys, List.of(SALE));
    }

    /** The number of the sale's keys. */
    int keys() {
        return scripts.redis().list("KEYS", "*sale:" + SALE + ":*").size();
    }

    /** Deletes a part of the sale, the stream or the sequence. */
    void lose(String part) {
        scripts.redis().command("DEL", switch (part) {
            case "stream" -> PARTITION.key("orders");
            case "sequence" -> PARTITION.key("seq");
            default -> keys(part).get(0);
        });
    }

    static List<String> texts(Object reply) {
        return ((List<?>) reply).stream().map(each -> (String) each).toList();
    }

    private static List<String> keys(String... parts) {
        return List.of(parts).stream().map(part -> PARTITION.key("sale:" + SALE + ":" + part))
                .toList();
    }
}
