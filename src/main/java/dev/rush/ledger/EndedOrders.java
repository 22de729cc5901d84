package dev.rush.ledger;

import dev.rush.ledger.Sums.Column;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Stores orders that were placed and had ended before the ledger knew of them, in the caller's
 * transaction. Their units are sold again, perhaps, so they take none, and no guard is asked.
 */
public final class EndedOrders {

    /**
     * With a block of the journal, if any is stored. Only a buyer's first order has an empty claim.
     * The subquery forces an index lookup, whatever the planner estimates.
     */
    private static final Sql STORE = Sql.named("store-ended-orders", """
            WITH block AS MATERIALIZED (SELECT nextval('block_ids') AS id),
            stored AS (
                INSERT INTO orders (id, month, block, seq, placed_at_ms, pay_by_ms, partition, sale,
                    user_id, key, digest, lines, lefts, claim)
                SELECT n.id, ?, block.id, 0, n.placed_at_ms, n.pay_by_ms, ?, ?, n.user_id, n.key,
                    n.digest, n.lines, n.lefts,
                    CASE WHEN n.nth = 1 AND (SELECT true FROM orders o
                        WHERE o.month = ? AND o.sale = ? AND o.user_id = n.user_id AND o.claim = ''
                        LIMIT 1) IS NULL THEN '' ELSE n.key END
                FROM block, (SELECT e.*,
                        row_number() OVER (PARTITION BY e.user_id ORDER BY e.id) AS nth
                    FROM unnest(?::uuid[], ?::bigint[], ?::bigint[], ?::text[], ?::text[],
                        ?::text[], ?::text[], ?::text[])
                        AS e (id, placed_at_ms, pay_by_ms, user_id, key, digest, lines, lefts)) n
                ON CONFLICT DO NOTHING RETURNING id),
            journal AS (
                INSERT INTO blocks (month, block, epoch, partition, token, first_seq, last_seq,
                    places_before, orders, subjects)
                SELECT ?, block.id, ?, ?, 0, 0, 0, 0, count(*), ARRAY[?]
                FROM block, stored GROUP BY block.id)
            SELECT id FROM stored""");

    private EndedOrders() {
    }

    /**
     * An order that has ended.
     *
     * @param order its status is expired or returned
     * @param steps all of them, in their order; the last one says that its units are in Redis
     */
    public record Ended(Order order, List<Step> steps) {
    }

    /**
     * Stores orders of one sale and partition.
     *
     * @return the ids of those that were stored. The others were skipped: the ledger has the order,
     *         or an order of the same buyer under its key, or one is stored at the same time.
     */
    public static Set<UUID> store(Connection connection, LedgerState ledgerState, String sale,
            int month, int partition, List<Ended> ended) throws SQLException {
        List<Order> orders = ended.stream().map(Ended::order).toList();
        Set<UUID> stored = Set.copyOf(STORE.list(connection,
                row -> row.getObject(1, UUID.class), month, partition, sale, month, sale,
                SqlArray.ids(orders.stream().map(Order::id).toList()),
                SqlArray.longs(orders, Order::placedAt), SqlArray.longs(orders, Order::payBy),
                SqlArray.texts(orders, Order::user), SqlArray.texts(orders, Order::key),
                SqlArray.texts(orders, Order::digest), SqlArray.texts(orders, Order::lines),
                SqlArray.texts(orders, Order::lefts), month, ledgerState.checkedEpoch(),
                partition, sale));
        List<Ended> fresh = ended.stream()
                .filter(one -> stored.contains(one.order().id())).toList();
        StepRows.insert(connection, ledgerState, month,
                fresh.stream().flatMap(one -> one.steps().stream()).toList());
        Sums sums = new Sums();
        fresh.stream().map(Ended::order).forEach(order -> List.of(Column.STORED,
                Column.of(order.status()), Column.CREDITED).forEach(column ->
                sums.add(sale, partition, order.quantities(), column)));
        sums.write(connection, Sums.STEPS);
        return stored;
    }
}
