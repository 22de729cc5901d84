package dev.rush.scripts;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The scripts of one sale, and their keys. */
final class SaleGate {
    static final String SALE = "a-sale";
    /** The month in which the ledger has the sale. */
    private static final String MONTH = "202601";
    private static final Partition PARTITION = new Partitions(64).of(SALE);

    /** More than any stream of these tests has entries. */
    private static final int PARTS_MAX = 10_000;
    private static final String[] ENSURED = {"conf", "buyers", "transfers", "received"};

    private final LuaScripts scripts;

    SaleGate(LuaScripts scripts) {
        this.scripts = scripts;
    }

    /** An accepted order on its way to the ledger. */
    record Accepted(String order, String user, String key, String lines, long at, long payBy,
            long sequence) {
    }

    /** Stores the terms for purchases; the stock stays held back under this epoch. */
    String hold(SaleTerms terms, String definition, String epoch) {
        return (String) script("sale/prepare", List.of("conf"), List.of(LuaScripts.NEVER,
                definition, text(terms.opensAt()), text(terms.closesAt()), terms.guard(),
                text(terms.guardWindow()), text(terms.paymentWindow()),
                terms.returnsLimit() ? "1" : "0", text(terms.ordersPerUser()),
                text(terms.unpaidHolds()), epoch));
    }

    /** Releases the stock that is held back under this epoch. */
    String release(SaleTerms terms, String epoch, boolean listed) {
        List<String> load = new ArrayList<>(
                List.of(LuaScripts.NEVER, epoch, SALE, listed ? "1" : "0", MONTH));
        terms.items().forEach((sku, item) ->
                load.addAll(List.of(sku, text(item.total()), text(item.limit()), "-")));
        List<String> keys = new ArrayList<>(keys("conf", "stock"));
        keys.add(PARTITION.key("sales"));
        return (String) scripts.call("sale/load", keys, load);
    }

    /** The release and month by which the ledger has the sale. */
    List<?> noted() {
        return scripts.redis().list("HMGET", keys("conf").get(0), "release", "month");
    }

    /** Creates all keys of the sale, so that its slot can move. */
    String ensure() {
        List<String> keys = new ArrayList<>(keys(ENSURED));
        keys.add(PARTITION.key("orders"));
        keys.add(PARTITION.key("seq"));
        keys.add(PARTITION.key("unfinished"));
        keys.addAll(keys("stock"));
        return (String) scripts.call("sale/ensure", keys, List.of());
    }

    /** Whether each key of the sale exists. */
    boolean isWhole() {
        List<String> names = new ArrayList<>(keys(ENSURED));
        names.addAll(List.of(PARTITION.key("orders"), PARTITION.key("seq")));
        List<String> words = new ArrayList<>(names);
        words.add(0, "EXISTS");
        return scripts.redis().number(words.toArray(String[]::new)) == names.size();
    }

    /** When the sale was prepared, by the list of all sales; null if it is not listed. */
    String listedSince() {
        return scripts.redis().text("ZSCORE", PARTITION.key("sales"), SALE);
    }

    Reply purchase(long backlog, List<Purchase> purchases) {
        List<String> args = new ArrayList<>(List.of(text(backlog), SALE));
        args.addAll(Deadline.texts(purchases.stream().map(Purchase::deadline).toList()));
        List<String> lines = purchases.stream().map(Purchase::lines).distinct().toList();
        args.add(lines.size() == 1 ? lines.get(0) : "");
        purchases.forEach(each -> args.add(each.user()));
        purchases.forEach(each -> args.add(each.what()));
        List<String> keys = new ArrayList<>(keys("conf", "stock", "buyers"));
        keys.add(PARTITION.key("orders"));
        keys.add(PARTITION.key("seq"));
        return Reply.of(scripts.call("sale/purchase", keys, args));
    }

    /** Credits these orders, because they expired or were returned. */
    List<String> credit(List<Purchase> orders, boolean expired) {
        List<String> args = new ArrayList<>();
        orders.forEach(each ->
                args.addAll(List.of(each.user(), each.order(), expired ? "e" : "c")));
        return ((List<?>) script("order/credit", List.of("conf", "stock", "buyers"), args))
                .stream().map(Object::toString).toList();
    }

    /** Refuses later purchases under a key; returns the reply without the last entry. */
    String tombstone(String user, String key) {
        List<String> keys = new ArrayList<>(keys("conf", "stock", "buyers"));
        keys.add(PARTITION.key("orders"));
        String reply = (String) scripts.call("order/tombstone", keys, List.of(user, key));
        return reply.startsWith("order-returned ") ? "order-returned" : reply;
    }

    String total(String sku, long total, long version) {
        return (String) script("sale/total", List.of("conf", "stock"),
                List.of(LuaScripts.NEVER, sku, text(total), text(version), "-", "", ""));
    }

    String control(String action) {
        String reply = (String) script("offer/control", List.of("conf"),
                List.of(LuaScripts.NEVER, action, "unknown-sale", "-", "-", "-", "", ""));
        return reply.split(" ")[0];
    }

    /**
     * What Redis has of a user's orders.
     *
     * @param orders  newest first: "order accepted", "order credited" or "order expired", and
     *                whether it waits
     * @param refused keys under which nothing is accepted any more, in order
     */
    record Found(boolean isLoaded, List<String> orders, List<String> refused) {
    }

    Found record(String user) {
        List<String> keys = new ArrayList<>(keys("conf", "stock", "buyers"));
        keys.add(PARTITION.key("orders"));
        List<?> reply = (List<?>) scripts.call("order/record", keys, List.of(user));
        long first = reply.get(1) == null ? Long.MAX_VALUE : (Long) reply.get(1);
        List<String> orders = new ArrayList<>();
        String record = reply.size() < 3 || reply.get(2) == null ? "" : reply.get(2).toString();
        record.lines().filter(line -> !line.startsWith("t ")).forEach(line -> {
            String[] words = line.split(" ");
            orders.add(0, words[1] + switch (words[0]) {
                case "a" -> " accepted";
                case "e" -> " expired";
                default -> " credited";
            } + (Long.parseLong(words[8]) >= first ? " waits" : ""));
        });
        List<String> refused = record.lines().filter(line -> line.startsWith("t "))
                .map(line -> line.substring(2)).sorted().toList();
        return new Found((Long) reply.get(0) == 1, orders, refused);
    }

    /** The user of a waiting order; null if the order does not wait. */
    String search(String order, int part) {
        String after = "0-0";
        for (int parts = 0; parts < PARTS_MAX; parts++) {
            List<?> reply = (List<?>) scripts.call("order/search", List.of(PARTITION.key("orders")),
                    List.of(SALE, order, after, "+", Integer.toString(part)));
            if (reply.size() != 1) {
                return reply.isEmpty() ? null : reply.get(1).toString();
            }
            if (reply.get(0) == null) {
                return null;
            }
            after = reply.get(0).toString();
        }
        throw new AssertionError("the search does not end");
    }

    /** How many orders wait. */
    long backlog() {
        return (Long) ((List<?>) scripts.call("order/backlog",
                List.of(PARTITION.key("orders"), PARTITION.key("seq")), List.of())).get(0);
    }

    /**
     * What one snapshot shows.
     *
     * @param now      Redis's time
     * @param changes  differs when anything but a purchase has changed the sale; null for no sale
     * @param counters "ordered/total credited" by sku; empty when the stock is gone
     */
    record View(long now, String changes, Map<String, String> counters) {
    }

    View view() {
        List<?> reply = (List<?>) script("sale/read", List.of("conf", "stock", "transfers"),
                List.of());
        if (reply.size() == 1) {
            return new View((Long) reply.get(0), null, Map.of());
        }
        Map<String, String> stock = Pairs.of(reply.get(2));
        Map<String, String> counters = new HashMap<>();
        stock.forEach((name, value) -> {
            if (name.endsWith(":total")) {
                String sku = name.substring(0, name.length() - ":total".length());
                counters.put(sku, stock.get(sku + ":ordered") + "/" + value + " "
                        + stock.getOrDefault(sku + ":credited", "0"));
            }
        });
        return new View((Long) reply.get(0),
                Pairs.of(reply.get(1)).getOrDefault("changes", "none"), counters);
    }

    /** Takes what waits in the stream, as the writer does. */
    List<Accepted> drain() {
        List<Accepted> found = new ArrayList<>();
        List<String> ids = new ArrayList<>();
        for (Object entry : scripts.redis().list("XRANGE", PARTITION.key("orders"), "-", "+")) {
            ids.add((String) ((List<?>) entry).get(0));
            String[] words = ((List<?>) ((List<?>) entry).get(1)).get(1).toString().split(" ");
            for (int i = 5; i < words.length; i += 6) {
                found.add(new Accepted(words[i + 1], words[i],
                        words[i + 2].isEmpty() ? words[i + 1] : words[i + 2], words[i + 4],
                        Long.parseLong(words[1]), Long.parseLong(words[2]),
                        Long.parseLong(words[4]) + (i - 5) / 6));
            }
        }
        if (!ids.isEmpty()) {
            ids.addAll(0, List.of("XDEL", PARTITION.key("orders")));
            scripts.redis().command(ids.toArray(String[]::new));
        }
        return found;
    }

    /** The length of a user's record in bytes. */
    long recordLength(String user) {
        return scripts.redis().number("HSTRLEN", keys("buyers").get(0), user);
    }

    /** Adds an entry of any kind to the partition's stream. */
    void enter(String kind, String words) {
        scripts.redis().command("XADD", PARTITION.key("orders"), "*", kind, words);
    }

    /** Sets the partition's last number. */
    void sequence(long number) {
        scripts.redis().command("SET", PARTITION.key("seq"), Long.toString(number));
    }

    /** Deletes the buyers, but not the counters. */
    void loseOrders() {
        scripts.redis().command("DEL", keys("buyers").get(0));
    }

    /** Deletes the terms, but not the counters. */
    void loseTerms() {
        scripts.redis().command("DEL", keys("conf").get(0));
    }

    /** Deletes the counters, as an empty restart of Redis might. */
    void loseStock() {
        scripts.redis().command("DEL", keys("stock").get(0));
    }

    /** Makes the next write of an accepted purchase fail halfway, as a defect would. */
    void breakSequence() {
        scripts.redis().command("SET", PARTITION.key("seq"), "broken");
    }

    /** Deletes everything. */
    void clear() {
        scripts.redis().command("FLUSHALL");
    }

    private Object script(String name, List<String> parts, List<String> args) {
        return scripts.call(name, keys(parts.toArray(String[]::new)), args);
    }

    private static List<String> keys(String... parts) {
        return List.of(parts).stream().map(part -> PARTITION.key("sale:" + SALE + ":" + part))
                .toList();
    }

    private static String text(long number) {
        return Long.toString(number);
    }
}
