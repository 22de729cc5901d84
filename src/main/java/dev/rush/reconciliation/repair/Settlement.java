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

/**
 * Rejected orders hold their units in Redis although nobody gets them. Where the deduction of
 * another order was lost, theirs stands in for it. An order is settled as a whole: where it has
 * more items than the one that lacks units, the others' units are free from then on, and a repair
 * releases them.
 */
final class Settlement {

    private static final int PAGE = 1_000;
    private static final Actor ACTOR = Actor.service("repair");

    private Settlement() {
    }

    /**
     * Settles rejected orders of an item in one partition, as long as they fit; those of this item
     * alone first.
     *
     * @param most units whose deduction was lost
     * @return units by item of all orders that were settled
     */
    static Map<String, Long> settle(Ledger ledger, String sale, int month, Partition partition,
            String sku, long most) {
        Map<String, Long> settled = new HashMap<>();
        settle(ledger, sale, month, partition, sku, most, settled,
                items -> items.equals(Set.of(sku)));
        settle(ledger, sale, month, partition, sku, most, settled,
                items -> items.contains(sku) && items.size() > 1);
        return settled;
    }

    private static void settle(Ledger ledger, String sale, int month, Partition partition,
            String sku, long most, Map<String, Long> settled, Predicate<Set<String>> wanted) {
        Cursor after = Cursor.START;
        while (after != null && settled.getOrDefault(sku, 0L) < most) {
            Cursor from = after;
            long left = most - settled.getOrDefault(sku, 0L);
            Page page = ledger.sound(partition.index(), (connection, standing) -> {
                Page read = unsettled(connection, sale, month, from,
                        order -> order.partition() == partition.index()
                                && wanted.test(order.quantities().keySet()));
                return new Page(Steps.settle(connection, standing, month,
                        fitting(read.orders, sku, left), ACTOR, "a lost deduction"), read.next);
            });
            page.orders.forEach(order -> order.quantities().forEach((each, units) ->
                    settled.merge(each, units, Long::sum)));
            after = page.next;
        }
    }

    private static List<Order> fitting(List<Order> orders, String sku, long most) {
        List<Order> fitting = new ArrayList<>();
        long units = 0;
        for (Order order : orders) {
            long its = order.quantities().get(sku);
            if (units + its <= most) {
                units += its;
                fitting.add(order);
            }
        }
        return fitting;
    }

    /** Settles all rejected orders of a sale whose deductions Redis has lost altogether. */
    static void settleAll(Ledger ledger, String sale, int month) {
        Cursor after = Cursor.START;
        while (after != null) {
            Cursor from = after;
            after = ledger.transact((connection, standing) -> {
                Page page = unsettled(connection, sale, month, from, order -> true);
                Steps.settle(connection, standing, month, page.orders, ACTOR,
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
    private record Page(List<Order> orders, Cursor next) {
    }

    private static Page unsettled(Connection connection, String sale, int month, Cursor after,
            Predicate<Order> wanted) throws SQLException {
        List<Order> all = OrderRows.rejectedPage(connection, month, sale, after, PAGE);
        Set<UUID> settled = FreedOrders.of(connection, month, all);
        Order last = all.isEmpty() ? null : all.get(all.size() - 1);
        return new Page(all.stream().filter(order -> !settled.contains(order.id()))
                .filter(wanted).toList(),
                all.size() < PAGE ? null : new Cursor(last.user(), last.id()));
    }
}
