package dev.rush.ledger;

import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Inserts steps of orders. The caller updates sums and working sets. */
public final class StepRows {

    /**
     * A step's transaction id must not be below that of the step, or of the order's block, that it
     * follows; otherwise a reader would see them in the wrong order. That holds if the transaction
     * read them before its first write, because PostgreSQL assigns the id then. Otherwise the step
     * is skipped. Scalar subqueries force index lookups, whatever the planner estimates.
     */
    private static final Sql INSERT = Sql.named("insert-steps", """
            INSERT INTO steps (month, order_id, step, kind, epoch, partition, sale, actor, cause,
                reference, amount, currency)
            SELECT ?, n.order_id, n.step, n.kind, ?, n.partition, n.sale, n.actor, n.cause,
                n.reference, n.amount, n.currency
            FROM unnest(?::uuid[], ?::integer[], ?::text[], ?::integer[], ?::text[], ?::bigint[],
                ?::text[], ?::text[], ?::text[], ?::bigint[], ?::text[])
                AS n (order_id, step, kind, partition, sale, block, actor, cause, reference,
                    amount, currency)
            WHERE COALESCE((SELECT p.xact <= pg_current_xact_id() FROM steps p
                    WHERE p.month = ? AND p.order_id = n.order_id AND p.step = n.step - 1
                        AND p.epoch = ?), true)
                AND COALESCE((SELECT b.xact <= pg_current_xact_id() FROM blocks b
                    WHERE b.month = ? AND b.block = n.block AND b.epoch = ?), true)
            ON CONFLICT DO NOTHING RETURNING order_id""");

    private StepRows() {
    }

    /**
     * Adds steps of orders of one month, in this order.
     *
     * @return the orders whose step was added. The others were skipped: either that step exists
     *         already, or this transaction's id is below that of the step or order that it follows.
     *         Then only a new transaction can add the step.
     */
    public static Set<UUID> insert(Connection connection, LedgerState ledgerState, int month,
            List<Step> steps) throws SQLException {
        int epoch = ledgerState.epoch();
        return Set.copyOf(INSERT.list(connection, row -> row.getObject(1, UUID.class),
                month, epoch,
                SqlArray.ids(steps.stream().map(Step::order).toList()),
                SqlArray.integers(steps.stream().map(Step::number).toList()),
                SqlArray.texts(steps, step -> step.kind().text()),
                SqlArray.integers(steps.stream().map(Step::partition).toList()),
                SqlArray.texts(steps, Step::sale),
                SqlArray.longs(steps, Step::block),
                SqlArray.texts(steps, step -> step.actor().text()),
                SqlArray.texts(steps, Step::cause),
                SqlArray.texts(steps, step -> step.payment().reference()),
                SqlArray.longs(steps, step -> step.payment().amount()),
                SqlArray.texts(steps, step -> step.payment().currency()),
                month, epoch, month, epoch));
    }
}
