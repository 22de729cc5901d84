package dev.rush.ledger;

import dev.rush.ledger.Sums.Column;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Adds steps to orders, in the caller's transaction, which must read the order before it writes
 * anything. Of two concurrent steps after the same one, one is added; the other's transaction fails
 * with SQLSTATE 40001, and {@link Ledger} repeats its work, beginning with reading the order.
 *
 * <p>All transactions lock in the same order: reservations or credits, steps, items, sums.
 */
public final class Steps {

    private static final String SERIALIZATION_FAILURE = "40001";
    private static final Actor EXPIRY = Actor.service("expiry");
    private static final Actor CREDITS = Actor.service("credits");
    /** Both clocks must have passed the deadline, because one of them may be hours ahead. */
    private static final Sql EXPIRE = Sql.named("expire-due", """
            WITH due AS MATERIALIZED (
                SELECT pay_by_ms, order_id FROM reservations
                WHERE partition = ? AND NOT held
                    AND pay_by_ms <= LEAST(?, (extract(epoch FROM now()) * 1000)::bigint)
                    AND EXISTS (SELECT FROM partitions p
                        WHERE p.partition = ? AND p.behind_since IS NULL)
                ORDER BY pay_by_ms LIMIT ? FOR UPDATE SKIP LOCKED),
            gone AS (
                DELETE FROM reservations r USING due
                WHERE r.partition = ? AND NOT r.held AND r.pay_by_ms = due.pay_by_ms
                    AND r.order_id = due.order_id
                RETURNING r.order_id, r.month, r.sale, r.user_id, r.lines, r.partition),
            ended AS (
                INSERT INTO steps (month, order_id, step, kind, epoch, partition, sale, actor)
                SELECT month, order_id, 1, 'expired', ?, partition, sale, ? FROM gone
                ON CONFLICT DO NOTHING RETURNING month, order_id, step, actor),
            owed AS (
                INSERT INTO credits (order_id, month, step, expired, actor, sale, user_id, lines,
                    partition)
                SELECT order_id, month, step, true, actor, sale, user_id, lines, partition
                FROM gone JOIN ended USING (month, order_id)
                RETURNING *)
            SELECT\s""" + OwedCredits.COLUMNS + " FROM owed");
    private static final Sql LOWER = Sql.named("lower-items", """
            WITH locked AS MATERIALIZED (
                SELECT i.sale, i.sku, ended.units
                FROM unnest(?::text[], ?::text[], ?::bigint[]) AS ended (sale, sku, units)
                JOIN items i ON i.sale = ended.sale AND i.sku = ended.sku
                ORDER BY i.sale, i.sku FOR NO KEY UPDATE OF i)
            UPDATE items i SET sold = i.sold - locked.units FROM locked
            WHERE i.sale = locked.sale AND i.sku = locked.sku""");
    /** Two pods may process the same credit; the second skips it. */
    private static final Sql CREDITED = Sql.named("credits-done", """
            WITH mine AS MATERIALIZED (
                SELECT c.month, c.order_id, given.word
                FROM unnest(?::integer[], ?::uuid[], ?::text[]) AS given (month, order_id, word)
                JOIN LATERAL (SELECT c.month, c.order_id FROM credits c
                    WHERE c.month = given.month AND c.order_id = given.order_id
                    FOR UPDATE SKIP LOCKED) c ON true),
            gone AS (
                DELETE FROM credits c USING mine
                WHERE c.month = mine.month AND c.order_id = mine.order_id
                RETURNING c.order_id, c.month, c.step, c.sale, c.lines, c.partition, mine.word),
            ended AS (
                INSERT INTO steps (month, order_id, step, kind, epoch, partition, sale, actor,
                    cause)
                SELECT month, order_id, step + 1, 'credited', ?, partition, sale, ?, word
                FROM gone ON CONFLICT DO NOTHING RETURNING month, order_id)
            SELECT sale, partition, lines FROM gone JOIN ended USING (month, order_id)""");

    private Steps() {
    }

    /** Confirms a reserved order, even one on hold. */
    public static void confirm(Connection connection, LedgerState ledgerState, Order order,
            Actor actor, Payment payment) throws SQLException {
        if (order.status() != OrderStatus.RESERVED) {
            throw new IllegalArgumentException("cannot confirm an order that is " + order.status());
        }
        append(connection, ledgerState,
                order, Step.after(order, StepKind.CONFIRMED, actor, actor.cause(), payment));
        moved(order, Column.CONFIRMED).write(connection, Sums.STEPS);
    }

    /**
     * Returns a reserved or confirmed order: its units are free in the ledger and owed to Redis.
     *
     * @param cause the cause as stated by the actor, or null
     */
    public static OwedCredit giveBack(Connection connection, LedgerState ledgerState, Order order,
            Actor actor, @Nullable String cause) throws SQLException {
        if (order.status() != OrderStatus.RESERVED && order.status() != OrderStatus.CONFIRMED) {
            throw new IllegalArgumentException("cannot return an order that is " + order.status());
        }
        return end(connection, ledgerState, order,
                Step.after(order, StepKind.RETURNED, actor, cause, Payment.NONE));
    }

    /**
     * Expires a reserved order, even one on hold, because it has expired in Redis.
     *
     * @param cause the cause as stated by the actor, or null
     */
    public static OwedCredit expire(Connection connection, LedgerState ledgerState, Order order,
            Actor actor, @Nullable String cause) throws SQLException {
        if (order.status() != OrderStatus.RESERVED) {
            throw new IllegalArgumentException("cannot expire an order that is " + order.status());
        }
        return end(connection, ledgerState, order,
                Step.after(order, StepKind.EXPIRED, actor, cause, Payment.NONE));
    }

    private static OwedCredit end(Connection connection, LedgerState ledgerState, Order order,
            Step step)
            throws SQLException {
        boolean isExpired = step.kind() == StepKind.EXPIRED;
        OwedCredit credit = new OwedCredit(order.id(), order.month(), step.number(), isExpired,
                step.actor().text(), order.sale(), order.user(), order.lines(), order.partition(),
                ledgerState.checkedEpoch());
        append(connection, ledgerState, order, step);
        lower(connection, List.of(credit));
        moved(order, isExpired ? Column.EXPIRED : Column.RETURNED).write(connection, Sums.STEPS);
        OwedCredits.owe(connection, credit);
        return credit;
    }

    private static void append(Connection connection, LedgerState ledgerState, Order order,
            Step step)
            throws SQLException {
        boolean isFirst = order.status() != OrderStatus.RESERVED
                || Reservations.take(connection, order);
        if (!isFirst || StepRows.insert(connection, ledgerState, order.month(), List.of(step))
                .isEmpty()) {
            throw new SQLException("another step came first", SERIALIZATION_FAILURE);
        }
    }

    private static Sums moved(Order order, Column to) {
        Map<String, Long> quantities = order.quantities();
        return new Sums().remove(order.sale(), order.partition(), quantities,
                Column.of(order.status())).add(order.sale(), order.partition(), quantities, to);
    }

    /**
     * Expires reservations of a partition whose deadlines have passed, by Redis's clock and by
     * PostgreSQL's. Those of a partition that is behind Redis, and those on hold, do not expire.
     *
     * @param redisMs the time by the partition's Redis
     * @param max     maximum number of reservations
     * @return the units that are now owed to Redis
     */
    public static List<OwedCredit> expire(Connection connection, LedgerState ledgerState,
            int partition,
            long redisMs, int max) throws SQLException {
        if (!ledgerState.checked()) {
            return List.of();
        }
        List<OwedCredit> ended = EXPIRE.list(connection,
                row -> OwedCredits.of(row, ledgerState), partition, redisMs,
                partition, max, partition, ledgerState.epoch(), EXPIRY.text());
        lower(connection, ended);
        Sums sums = new Sums();
        for (OwedCredit order : ended) {
            Map<String, Long> quantities = Lines.quantities(order.lines());
            sums.remove(order.sale(), partition, quantities, Column.RESERVED)
                    .add(order.sale(), partition, quantities, Column.EXPIRED);
        }
        sums.write(connection, Sums.STEPS);
        return ended;
    }

    private record Item(String sale, String sku) {
    }

    /** Subtracts the units of ended orders from those sold. */
    private static void lower(Connection connection, List<OwedCredit> ended)
            throws SQLException {
        Map<Item, Long> units = new HashMap<>();
        ended.forEach(order -> Lines.quantities(order.lines()).forEach((sku, quantity) ->
                units.merge(new Item(order.sale(), sku), quantity, Long::sum)));
        if (!units.isEmpty()) {
            List<Item> items = List.copyOf(units.keySet());
            LOWER.update(connection, SqlArray.texts(items, Item::sale),
                    SqlArray.texts(items, Item::sku), SqlArray.longs(items, units::get));
        }
    }

    /**
     * Records that units are back in Redis. Orders that another transaction has locked or recorded
     * are skipped.
     *
     * @param words Redis's word for each order, which becomes the step's cause; credits without a
     *              word stay owed
     */
    public static void credited(Connection connection, LedgerState ledgerState,
            List<OwedCredit> credits, Map<UUID, String> words) throws SQLException {
        List<OwedCredit> given = credits.stream()
                .filter(credit -> words.containsKey(credit.order())).toList();
        if (given.isEmpty()) {
            return;
        }
        Sums sums = new Sums();
        CREDITED.each(connection, row -> sums.add(row.getString(1), row.getInt(2),
                        Lines.quantities(row.getString(3)), Column.CREDITED),
                OwedCredits.months(given), OwedCredits.ids(given),
                SqlArray.texts(given, credit -> words.get(credit.order())),
                ledgerState.epoch(), CREDITS.text());
        sums.write(connection, Sums.STEPS);
    }

    /**
     * Records that units of rejected orders of one month are no longer taken in Redis.
     *
     * @return the orders for which this was not recorded before
     */
    public static List<Order> settle(Connection connection, LedgerState ledgerState, int month,
            List<Order> rejected, Actor actor, String cause) throws SQLException {
        Set<UUID> settled = StepRows.insert(connection, ledgerState, month, rejected.stream()
                .map(order -> Step.after(order, StepKind.SETTLED, actor, cause, Payment.NONE))
                .toList());
        List<Order> fresh = rejected.stream()
                .filter(order -> settled.contains(order.id())).toList();
        Sums sums = new Sums();
        fresh.forEach(order -> sums.add(order.sale(), order.partition(), order.quantities(),
                Column.SETTLED));
        sums.write(connection, Sums.STEPS);
        return fresh;
    }
}
