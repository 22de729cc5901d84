package dev.rush.ledger.writer;

import dev.rush.ledger.LedgerState;
import dev.rush.ledger.Step;
import dev.rush.ledger.StepRows;
import dev.rush.ledger.Sums;
import dev.rush.ledger.Sums.Column;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import dev.rush.ledger.writer.StreamEntry.Purchase;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Stores orders that had ended before the ledger knew of them, in the caller's transaction. Their
 * units may be sold again. So they take none, and no guard is asked.
 */
@Singleton
public class EndedOrders {

    /** Locks the row that {@link Fence} locks, so that no writer stores anything meanwhile. */
    private static final Sql LOCK = Sql.named("lock-partition-behind", """
            SELECT (extract(epoch FROM now()) * 1000)::bigint FROM partitions
            WHERE partition = ? AND behind_since < 'infinity' FOR NO KEY UPDATE""");
    /**
     * Stores the orders in one block of the journal. The empty claim is for the first order of a
     * buyer in a sale with limits. Subqueries force index lookups, whatever the planner estimates.
     */
    private static final Sql STORE = Sql.named("store-ended-orders", """
            WITH block AS MATERIALIZED (SELECT nextval('block_ids') AS id),
            stored AS (
                INSERT INTO orders (id, month, block, seq, placed_at_ms, pay_by_ms, partition, sale,
                    user_id, key, digest, lines, lefts, claim)
                SELECT n.id, ?, block.id, 0, n.placed_at_ms, n.pay_by_ms, ?, ?, n.user_id, n.key,
                    n.digest, n.lines, n.lefts,
                    CASE WHEN ? AND n.nth = 1 AND (SELECT true FROM orders o
                        WHERE o.month = ? AND o.sale = ? AND o.user_id = n.user_id AND o.claim = ''
                        LIMIT 1) IS NULL THEN '' ELSE n.key END
                FROM block, (SELECT e.*,
                        row_number() OVER (PARTITION BY e.user_id ORDER BY e.id) AS nth
                    FROM unnest(?::uuid[], ?::bigint[], ?::bigint[], ?::text[], ?::text[],
                        ?::text[], ?::text[], ?::text[])
                        AS e (id, placed_at_ms, pay_by_ms, user_id, key, digest, lines, lefts)) n
                WHERE (SELECT true FROM orders o WHERE o.month = ? AND o.sale = ?
                    AND o.user_id = n.user_id AND o.claim IN ('', n.key) AND o.key = n.key
                    LIMIT 1) IS NULL
                ON CONFLICT DO NOTHING RETURNING id),
            journal AS (
                INSERT INTO blocks (month, block, epoch, partition, token, first_seq, last_seq,
                    places_before, orders, subjects)
                SELECT ?, block.id, ?, ?, 0, 0, 0, 0, count(*), ARRAY[?]
                FROM block, stored GROUP BY block.id)
            SELECT id FROM stored""");

    private final SaleTerms saleTerms;

    @Inject
    EndedOrders(SaleTerms saleTerms) {
        this.saleTerms = saleTerms;
    }

    /**
     * An order that has ended, and whose units are in Redis.
     *
     * @param isExpired whether it expired; otherwise it was returned
     * @param steps     all of them, in their order
     */
    public record Ended(Purchase purchase, boolean isExpired, List<Step> steps) {

        private UUID id() {
            return purchase.order();
        }
    }

    /**
     * Stores orders of one sale and partition, each with its own id and key.
     *
     * @return how many were stored: none if the partition is not behind Redis. Orders that
     *         contradict the sale's terms are skipped, as are those whose id or key the ledger has.
     */
    public int store(Connection connection, LedgerState ledgerState, String sale, int partition,
            List<Ended> ended) throws SQLException {
        Long now = LOCK.first(connection, row -> row.getLong(1), partition);
        Terms terms = saleTerms.of(connection, ledgerState, Set.of(sale)).get(sale);
        if (now == null || terms == null) {
            return 0;
        }
        List<Ended> valid = ended.stream()
                .filter(one -> terms.forgery(one.purchase, now) == null).toList();
        Set<UUID> stored = insert(connection, ledgerState, sale, partition, terms,
                valid.stream().map(Ended::purchase).toList());
        List<Ended> fresh = valid.stream().filter(one -> stored.contains(one.id())).toList();
        addSteps(connection, ledgerState, terms.month(), fresh);
        Sums sums = new Sums();
        fresh.forEach(one -> List.of(Column.STORED,
                one.isExpired ? Column.EXPIRED : Column.RETURNED, Column.CREDITED).forEach(column ->
                sums.add(sale, partition, one.purchase.quantities(), column)));
        sums.write(connection, Sums.STEPS);
        return fresh.size();
    }

    private static Set<UUID> insert(Connection connection, LedgerState ledgerState, String sale,
            int partition, Terms terms, List<Purchase> orders) throws SQLException {
        int month = terms.month();
        return Set.copyOf(STORE.list(connection, row -> row.getObject(1, UUID.class), month,
                partition, sale, terms.isLimited(), month, sale,
                SqlArray.ids(orders.stream().map(Purchase::order).toList()),
                SqlArray.longs(orders, Purchase::placedAt), SqlArray.longs(orders, terms::payBy),
                SqlArray.texts(orders, Purchase::user), SqlArray.texts(orders, Purchase::key),
                SqlArray.texts(orders, Purchase::digest), SqlArray.texts(orders, Purchase::lines),
                SqlArray.texts(orders, Purchase::lefts), month, sale, month, ledgerState.epoch(),
                partition, sale));
    }

    /** Adds the first steps of all orders, then the second ones: readers see them in order. */
    private static void addSteps(Connection connection, LedgerState ledgerState, int month,
            List<Ended> ended) throws SQLException {
        int max = ended.stream().mapToInt(one -> one.steps.size()).max().orElse(0);
        for (int i = 0; i < max; i++) {
            int nth = i;
            StepRows.insert(connection, ledgerState, month, ended.stream()
                    .filter(one -> nth < one.steps.size()).map(one -> one.steps.get(nth)).toList());
        }
    }
}
