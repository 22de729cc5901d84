package dev.rush.reconciliation.repair;

import dev.rush.ledger.Actor;
import dev.rush.ledger.Cursor;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.Order;
import dev.rush.ledger.OrderRows;
import dev.rush.ledger.Steps;
import dev.rush.reconciliation.report.FreedOrders;
import dev.rush.redis.Partition;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Settles rejected orders, which hold their units in Redis although no buyer gets them: if the
 * deduction of another order was lost, theirs replaces it; and if Redis has sold more than the
 * ledger's total, they are freed. An order is settled as a whole; units that it held beyond what
 * was missing are free from then on, and a repair releases them.
 */
final class Settlement {

    private static final int PAGE = 1_000;
    private static final Actor ACTOR = Actor.service("repair");

    private Settlement() {
    }

    /** Selects the orders to settle. */
    private interface Choice {

        /**
         * Whether an order with this number of units is settled too, after a number of settled
         * units.
         */
        boolean takes(long settled, long units);

        /** Whether the number of settled units is sufficient. */
        boolean isDone(long settled);
    }

    /** Orders that do not exceed a number of units together. */
    private record Fitting(long unitsMax) implements Choice {

        @Override
        public boolean takes(long settled, long units) {
            return settled + units <= unitsMax;
        }

        @Override
        public boolean isDone(long settled) {
            return settled >= unitsMax;
        }
    }

    /** Orders until they have enough units together. */
    private record Enough(long unitsMin) implements Choice {

        @Override
        public boolean takes(long settled, long units) {
            return settled < unitsMin;
        }

        @Override
        public boolean isDone(long settled) {
            return settled >= unitsMin;
        }
    }

    /**
     * Settles rejected orders of an item in one partition, as long as they fit; orders of only this
     * item first.
     *
     * @param unitsMax units whose deduction was lost
     * @return units by item of all orders that were settled
     */
    static Map<String, Long> standIn(Ledger ledger, String sale, int month, Partition partition,
            String sku, long unitsMax) {
        return settle(ledger, sale, month, partition, sku, new Fitting(unitsMax));
    }

    /**
     * Settles rejected orders of an item in one partition until they have freed enough of it, or
     * none is left; orders of only this item first.
     *
     * @param unitsMin units that were sold beyond the ledger's total
     * @return units by item of all orders that were settled
     */
    static Map<String, Long> free(Ledger ledger, String sale, int month, Partition partition,
            String sku, long unitsMin) {
        return settle(ledger, sale, month, partition, sku, new Enough(unitsMin));
    }

    private static Map<String, Long> settle(Ledger ledger, String sale, int month,
            Partition partition, String sku, Choice choice) {
        Map<String, Long> settled = new HashMap<>();
        for (Predicate<Set<String>> items : List.<Predicate<Set<String>>>of(
                skus -> skus.equals(Set.of(sku)),
                skus -> skus.contains(sku) && skus.size() > 1)) {
            Cursor after = Cursor.START;
            while (after != null && !choice.isDone(settled.getOrDefault(sku, 0L))) {
                Cursor from = after;
                long before = settled.getOrDefault(sku, 0L);
                Page page = ledger.transactIfSound(partition.index(), (connection, ledgerState) -> {
                    Page read = unsettled(connection, sale, month, from,
                            order -> order.partition() == partition.index()
                                    && items.test(order.quantities().keySet()));
                    return new Page(Steps.settle(connection, ledgerState, month,
                            chosen(read.orders, sku, before, choice), ACTOR, "repaired"),
                            read.next);
                });
                page.orders.forEach(order -> order.quantities().forEach((each, units) ->
                        settled.merge(each, units, Long::sum)));
                after = page.next;
            }
        }
        return settled;
    }

    private static List<Order> chosen(List<Order> orders, String sku, long before,
            Choice choice) {
        List<Order> chosen = new ArrayList<>();
        long units = before;
        for (Order order : orders) {
            Long ordered = order.quantities().get(sku);
            if (ordered != null && choice.takes(units, ordered)) {
                units += ordered;
                chosen.add(order);
            }
        }
        return chosen;
    }

    /** Settles all rejected orders of a sale whose deductions Redis has completely lost. */
    static void settleAll(Ledger ledger, String sale, int month) {
        Cursor after = Cursor.START;
        while (after != null) {
            Cursor from = after;
            after = ledger.transactOrNull((connection, ledgerState) -> {
                Page page = unsettled(connection, sale, month, from, order -> true);
                Steps.settle(connection, ledgerState, month, page.orders, ACTOR,
                        "no room in the rebuilt sale");
                return page.next;
            });
        }
    }

    /**
     * Orders of a page.
     *
     * @param next where the next page begins; null after the last one
     */
    private record Page(List<Order> orders, @Nullable Cursor next) {
    }

    private static Page unsettled(Connection connection, String sale, int month, Cursor after,
            Predicate<Order> wanted) throws SQLException {
        List<Order> all = OrderRows.rejectedPage(connection, month, sale, after, PAGE);
        Set<UUID> settled = FreedOrders.of(connection, month, all);
        return new Page(all.stream().filter(order -> !settled.contains(order.id()))
                .filter(wanted).toList(), all.size() < PAGE ? null : end(all));
    }

    private static Cursor end(List<Order> page) {
        Order last = page.get(page.size() - 1);
        return new Cursor(last.user(), last.id());
    }
}
