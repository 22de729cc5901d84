package dev.rush.nemesis.checker;

import dev.rush.nemesis.client.History;
import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Operation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/** What both stores have once all faults are healed and the books are repaired. */
public final class Stored {
    /** The ledger's orders. */
    final Map<UUID, Order> orders = new HashMap<>();
    /** Orders that ended, as Redis has them. */
    final Map<UUID, Order> ended = new HashMap<>();
    /** The ledger's grabs. */
    final Map<UUID, Grab> grabs = new HashMap<>();
    /** Totals by sale and sku. */
    final Map<String, Item> items = new HashMap<>();
    /** Orders and grabs counted as lost, by partition. */
    final Map<Integer, Long> lost = new TreeMap<>();
    /** Orders and grabs that wait in the stream of a partition. */
    final Map<Integer, Long> waiting = new TreeMap<>();
    /** Orders and grabs that are dead letters. */
    final Set<UUID> deadLetters = new HashSet<>();
    /** Verdicts of sales and rains, and the report where it is not balanced. */
    final Map<String, Books> books = new HashMap<>();
    /** Sales whose books were not balanced before an operator repaired them. */
    final Set<String> repaired = new HashSet<>();
    /** What Redis counts against limits, by sale and {@code user sku}. */
    final Map<String, Map<String, Long>> taken = new HashMap<>();
    /** Alarms that were raised in the run, by metric. */
    final Map<String, Double> alarms = new TreeMap<>();

    /** An order's row. */
    record Order(UUID id, String sale, String user, String key, String lines, String status,
            long placedAtMs, long payByMs) {
        /** Returns the quantity of an item. */
        long of(String sku) {
            for (String line : lines.split(",")) {
                if (line.startsWith(sku + ":")) {
                    return Long.parseLong(line.substring(sku.length() + 1));
                }
            }
            return 0;
        }

        /** Returns whether it counts as sold. */
        boolean sold() {
            return status.equals("reserved") || status.equals("confirmed");
        }
    }

    /** A grab's row. */
    record Grab(UUID id, String rain, String user, long number, long nth, long amount,
            String status) {
        boolean confirmed() {
            return status.equals("confirmed");
        }
    }

    /** An item's row. */
    record Item(long total, long sold) {
    }

    /** A report of the books; units and amounts of a rain. */
    record Books(String verdict, long prepared, long left, long granted, String report) {
    }

    /** Returns an item's name in {@link #items}. */
    static String item(String sale, String sku) {
        return sale + " " + sku;
    }

    /** Returns whether the ledger or its dead letters have an order or a grab. */
    boolean knows(UUID id) {
        return orders.containsKey(id) || grabs.containsKey(id) || deadLetters.contains(id);
    }

    /** Returns how many orders and grabs are counted as lost. */
    public long lostCount() {
        return lost.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns how many answered orders and grabs neither the ledger nor its dead letters have. */
    public long gone(History history) {
        return history.operations().stream()
                .filter(one -> one.kind() == Kind.PURCHASE || one.kind() == Kind.GRAB)
                .filter(Operation::accepted).map(Operation::order).distinct()
                .filter(id -> !knows(id)).count();
    }

    /** Returns the orders by sale. */
    Map<String, List<Order>> bySale() {
        Map<String, List<Order>> sales = new HashMap<>();
        orders.values().forEach(order ->
                sales.computeIfAbsent(order.sale, none -> new ArrayList<>()).add(order));
        return sales;
    }
}
