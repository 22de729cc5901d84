package dev.rush.scripts;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The scripts of one sale, and where they keep it. */
final class SaleGate {
    private static final String SALE = "a-sale";
    private static final Partition PARTITION = new Partitions(64).of(SALE);

    private static final String[] ENSURED = {"conf", "buyers", "keys", "orders", "placed", "guard",
        "transfers", "received"};

    private final LuaScripts scripts;

    SaleGate(LuaScripts scripts) {
        this.scripts = scripts;
    }

    /** The replies of one call: Redis's time, the partition's sequence, a text per request. */
    record Reply(long now, long sequence, List<String> texts) {
    }

    /** An accepted order on its way to the ledger. */
    record Accepted(String order, String user, String key, String lines, long at, long payBy,
            long sequence) {
    }

    /** Puts the terms where purchases find them; the stock stays held back under this epoch. */
    String hold(SaleTerms terms, String definition, String epoch) {
        return (String) script("sale/prepare", List.of("conf"), List.of(definition,
                text(terms.opensAt()), text(terms.closesAt()), terms.guard(),
                text(terms.guardWindow()), text(terms.paymentWindow()),
                terms.returnsLimit() ? "1" : "0", epoch));
    }

    /** Releases the stock that is held back under this epoch. */
    String release(SaleTerms terms, String epoch, boolean listed) {
        List<String> load = new ArrayList<>(List.of(epoch, SALE, listed ? "1" : "0"));
        terms.items().forEach((sku, item) ->
                load.addAll(List.of(sku, text(item.total()), text(item.limit()), "-")));
        List<String> keys = new ArrayList<>(keys("conf", "stock"));
        keys.add(PARTITION.key("sales"));
        return (String) scripts.call("sale/load", keys, load);
    }

    /** Makes all keys of the sale, without which its slot could not move. */
    String ensure() {
        List<String> keys = new ArrayList<>(keys(ENSURED));
        keys.add(PARTITION.orders());
        keys.add(PARTITION.sequence());
        keys.add(PARTITION.key("unfinished"));
        keys.addAll(keys("stock"));
        return (String) scripts.call("sale/ensure", keys, List.of());
    }

    /** Whether each key of the sale exists. */
    boolean isWhole() {
        List<String> names = new ArrayList<>(keys(ENSURED));
        names.addAll(List.of(PARTITION.orders(), PARTITION.sequence()));
        List<String> words = new ArrayList<>(names);
        words.add(0, "EXISTS");
        return scripts.redis().number(words.toArray(String[]::new)) == names.size();
    }

    /** When the sale was prepared, by the list of all sales; null when it is not listed. */
    String listedSince() {
        return scripts.redis().text("ZSCORE", PARTITION.key("sales"), SALE);
    }

    Reply purchase(long backlog, List<Purchase> purchases) {
        List<String> args = new ArrayList<>(List.of(text(backlog), SALE));
        for (Purchase each : purchases) {
            args.addAll(List.of(text(each.deadline()), each.order(), each.user(), each.key(),
                    each.digest(), each.lines()));
        }
        List<String> keys = new ArrayList<>(
                keys("conf", "stock", "buyers", "keys", "orders", "placed", "guard"));
        keys.add(PARTITION.orders());
        keys.add(PARTITION.sequence());
        List<?> reply = (List<?>) scripts.call("sale/purchase", keys, args);
        return new Reply((Long) reply.get(0), (Long) reply.get(1),
                reply.subList(2, reply.size()).stream().map(Object::toString).toList());
    }

    List<String> credit(List<Purchase> orders) {
        List<String> args = new ArrayList<>();
        orders.forEach(each -> args.addAll(List.of(each.user(), each.key(), each.order())));
        return ((List<?>) script("order/credit", List.of("conf", "stock", "buyers", "keys"), args))
                .stream().map(Object::toString).toList();
    }

    /** Refuses what may still arrive under a key; the last entry of the stream is left out. */
    String tombstone(String user, String key) {
        List<String> keys = new ArrayList<>(keys("conf", "stock", "keys"));
        keys.add(PARTITION.orders());
        String reply = (String) scripts.call("order/tombstone", keys, List.of(user, key));
        return reply.startsWith("order-returned ") ? "order-returned" : reply;
    }

    String total(String sku, long total, long version) {
        return (String) script("sale/total", List.of("conf", "stock"),
                List.of(sku, text(total), text(version)));
    }

    String steer(String action) {
        String reply = (String) script("redis/steer", List.of("conf"),
                List.of(action, "unknown-sale", "-", "-"));
        return reply.split(" ")[0];
    }

    /** Whose order this is: user and key, or the word that says why it is not known. */
    String find(String order) {
        return (String) script("order/find", List.of("conf", "stock", "orders"), List.of(order));
    }

    /** The orders of a user that the ledger may not have, newest first, and whether credited. */
    List<String> orders(String user, int most) {
        List<String> orders = new ArrayList<>();
        for (Object each : (List<?>) script("sale/orders", List.of("keys", "orders", "placed"),
                List.of(user, Integer.toString(most)))) {
            String[] words = each.toString().split(" ");
            orders.add(words[3] + " " + (words[2].equals("c") ? "credited" : "accepted"));
        }
        return orders;
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
        Map<String, String> stock = pairs(reply, 2);
        Map<String, String> counters = new HashMap<>();
        stock.forEach((name, value) -> {
            if (name.endsWith(":total")) {
                String sku = name.substring(0, name.length() - ":total".length());
                counters.put(sku, stock.get(sku + ":ordered") + "/" + value + " "
                        + stock.getOrDefault(sku + ":credited", "0"));
            }
        });
        return new View((Long) reply.get(0), reply.size() == 1 ? null
                : pairs(reply, 1).getOrDefault("changes", "none"), counters);
    }

    private static Map<String, String> pairs(List<?> reply, int at) {
        Map<String, String> pairs = new HashMap<>();
        List<?> flat = reply.size() <= at ? List.of() : (List<?>) reply.get(at);
        for (int i = 0; i < flat.size(); i += 2) {
            pairs.put((String) flat.get(i), (String) flat.get(i + 1));
        }
        return pairs;
    }

    /** Takes what waits in the stream, as the writer does. */
    List<Accepted> drain() {
        List<Accepted> found = new ArrayList<>();
        List<String> ids = new ArrayList<>();
        for (Object entry : scripts.redis().list("XRANGE", PARTITION.orders(), "-", "+")) {
            ids.add((String) ((List<?>) entry).get(0));
            String[] words = ((List<?>) ((List<?>) entry).get(1)).get(1).toString().split(" ");
            found.add(new Accepted(words[4], words[1], words[2], words[8],
                    Long.parseLong(words[5]), Long.parseLong(words[6]),
                    Long.parseLong(words[10])));
        }
        if (!ids.isEmpty()) {
            settle(ids, found);
        }
        return found;
    }

    private void settle(List<String> ids, List<Accepted> orders) {
        List<String> args = new ArrayList<>(
                List.of(Integer.toString(ids.size()), Integer.toString(orders.size())));
        args.addAll(ids);
        orders.forEach(order -> args.add(order.order()));
        orders.forEach(order -> args.add(order.user() + " " + order.order()));
        List<String> keys = new ArrayList<>(List.of(PARTITION.orders()));
        keys.addAll(keys("orders", "placed"));
        scripts.call("order/settle", keys, args);
    }

    /** Loses who bought what, but not the counters. */
    void loseOrders() {
        scripts.redis().command("DEL", keys("keys").get(0));
    }

    /** What Redis keeps of orders beside their records, until the ledger has them. */
    long traces() {
        // Each ends with an entry that stands for nothing.
        return Math.max(0, scripts.redis().number("HLEN", keys("orders").get(0)) - 1)
                + Math.max(0, scripts.redis().number("ZCARD", keys("placed").get(0)) - 1);
    }

    /** Loses the counters of the sale, as an empty restart of Redis might. */
    void loseStock() {
        scripts.redis().command("DEL", keys("stock").get(0));
    }

    /** Makes the next write of an accepted purchase fail half way, as a defect would. */
    void breakSequence() {
        scripts.redis().command("SET", PARTITION.sequence(), "broken");
    }

    /** Loses everything. */
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
