package dev.rush.nemesis.checker;

import dev.rush.nemesis.client.History;
import dev.rush.nemesis.client.Operation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/** The contents of both stores after all faults are healed and unbalanced sales repaired. */
public final class Stored {
    /** The ledger's orders. */
    final Map<UUID, Order> orders = new HashMap<>();
    /** Orders in Redis that were returned, expired or rejected. */
    final Map<UUID, Order> ended = new HashMap<>();
    /** The ledger's grabs. */
    final Map<UUID, Grab> grabs = new HashMap<>();
    /** The ledger's items by {@code sale sku}. */
    final Map<String, Item> items = new HashMap<>();
    /** Orders and grabs counted as lost, by partition. */
    final Map<Integer, Long> lost = new TreeMap<>();
    /** Entries in the stream of each partition. */
    final Map<Integer, Long> waiting = new TreeMap<>();
    /** Dead-lettered orders and grabs. */
    final Set<UUID> deadLetters = new HashSet<>();
    /** The books of each sale and rain, by id. */
    final Map<String, Books> books = new HashMap<>();
    /** Sales that an operator had to repair. */
    final Set<String> repaired = new HashSet<>();
    /** Units that Redis counts towards limits, by sale and {@code user sku}. */
    final Map<String, Map<String, Long>> taken = new HashMap<>();
    /** The final values of the metrics that raise alarms. */
    final Map<String, Double> alarms = new TreeMap<>();

    /** An order's row. */
    record Order(UUID id, String sale, String user, String key, String lines, String status,
            long placedAtMs, long payByMs) {
        /** Returns the quantity of an item. */
        long quantity(String sku) {
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

    /** A grab's row; the key is null if the client sent none. */
    record Grab(UUID id, String rain, String user, String key, long number, long nth, long amount,
            String status) {
        boolean confirmed() {
            return status.equals("confirmed");
        }
    }

    /** An item's row. */
    record Item(long total, long sold) {
    }

    /** A report of the books; the amounts are a rain's, and 0 for a sale. */
    record Books(String verdict, long prepared, long left, long granted, String report) {
    }

    /** Returns an item's key in {@link #items}. */
    static String item(String sale, String sku) {
        return sale + " " + sku;
    }

    /** Returns whether the ledger has an order or grab that it did not reject. */
    boolean isValid(UUID id) {
        Order order = orders.get(id);
        Grab grab = grabs.get(id);
        return order != null && !order.status().equals("rejected")
                || grab != null && grab.confirmed();
    }

    /** Returns whether the ledger or its dead letters have an order or grab. */
    boolean knows(UUID id) {
        return orders.containsKey(id) || grabs.containsKey(id) || deadLetters.contains(id);
    }

    /** Returns the number of orders and grabs that are counted as lost. */
    public long lostCount() {
        return lost.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the number of answered orders and grabs that {@link #knows} does not know. */
    public long missingCount(History history) {
        return history.operations().stream()
                .filter(operation -> operation.kind().takes())
                .filter(Operation::accepted).map(Operation::order).distinct()
                .filter(id -> !knows(id)).count();
    }

    /** Returns the ledger's orders by sale. */
    Map<String, List<Order>> bySale() {
        Map<String, List<Order>> sales = new HashMap<>();
        orders.values().forEach(order ->
                sales.computeIfAbsent(order.sale, missing -> new ArrayList<>()).add(order));
        return sales;
    }
}
