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

/**
 * What happens to orders after they were stored, each within the caller's transaction, which reads
 * the order first and writes nothing before. Of two steps that follow the same one, one is taken;
 * the other's transaction fails with SQLSTATE 40001, and {@link Ledger} does its work again, from
 * the order's reading on.
 *
 * <p>Everyone locks in one order: reservations or credits, steps, items, sums.
 */
public final class Steps {

    private static final String OVERTAKEN = "40001";
    private static final Actor EXPIRY = Actor.service("expiry");
    private static final Actor CREDITS = Actor.service("credits");
    /** Both clocks must say so: one of them may be hours ahead. */
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
                ON CONFLICT DO NOTHING RETURNING month, order_id, step),
            owed AS (
                INSERT INTO credits (order_id, month, step, expired, sale, user_id, lines,
                    partition)
                SELECT order_id, month, step, true, sale, user_id, lines, partition
                FROM gone JOIN ended USING (month, order_id)
                RETURNING *)
            SELECT order_id, month, step, expired, sale, user_id, lines, partition FROM owed""");
    private static final Sql LOWER = Sql.named("lower-items", """
            WITH locked AS MATERIALIZED (
                SELECT i.sale, i.sku, ended.units
                FROM unnest(?::text[], ?::text[], ?::bigint[]) AS ended (sale, sku, units)
                JOIN items i ON i.sale = ended.sale AND i.sku = ended.sku
                ORDER BY i.sale, i.sku FOR NO KEY UPDATE OF i)
            UPDATE items i SET sold = i.sold - locked.units FROM locked
            WHERE i.sale = locked.sale AND i.sku = locked.sku""");
    /** Two pods may give the same credit; the second passes over it. */
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
                RETURNING c.order_id, c.month, c.step, c.expired, c.sale, c.user_id, c.lines,
                    c.partition, mine.word),
            ended AS (
                INSERT INTO steps (month, order_id, step, kind, epoch, partition, sale, actor,
                    cause)
                SELECT month, order_id, step + 1, 'credited', ?, partition, sale, ?, word
                FROM gone ON CONFLICT DO NOTHING RETURNING month, order_id)
            SELECT order_id, month, g.step, expired, sale, user_id, lines, partition
            FROM gone g JOIN ended USING (month, order_id)""");

    private Steps() {
    }

    /** Confirms a reserved order, a held one too. */
    public static void confirm(Connection connection, Standing standing, Order order,
            Actor actor, Payment payment) throws SQLException {
        if (order.status() != OrderStatus.RESERVED) {
            throw new IllegalArgumentException("confirms what is " + order.status());
        }
        follow(connection, standing,
                order, Step.after(order, StepKind.CONFIRMED, actor, null, payment));
        moved(order, Column.CONFIRMED).write(connection, Sums.STEPS);
    }

    /**
     * Returns a reserved or confirmed order: its units are free in the ledger and owed to Redis.
     *
     * @param cause why, in the words of whoever did it; or null
     */
    public static OwedCredit giveBack(Connection connection, Standing standing, Order order,
            Actor actor, String cause) throws SQLException {
        if (order.status() != OrderStatus.RESERVED && order.status() != OrderStatus.CONFIRMED) {
            throw new IllegalArgumentException("returns what is " + order.status());
        }
        return end(connection, standing, order,
                Step.after(order, StepKind.RETURNED, actor, cause, Payment.NONE));
    }

    /**
     * Ends a reserved order, a held one too, as one that was not paid in time, because Redis has it
     * as such.
     *
     * @param cause why, in the words of whoever did it; or null
     */
    public static OwedCredit expire(Connection connection, Standing standing, Order order,
            Actor actor, String cause) throws SQLException {
        if (order.status() != OrderStatus.RESERVED) {
            throw new IllegalArgumentException("expires what is " + order.status());
        }
        return end(connection, standing, order,
                Step.after(order, StepKind.EXPIRED, actor, cause, Payment.NONE));
    }

    private static OwedCredit end(Connection connection, Standing standing, Order order, Step step)
            throws SQLException {
        boolean isExpired = step.kind() == StepKind.EXPIRED;
        OwedCredit credit = new OwedCredit(order.id(), order.month(), step.number(), isExpired,
                order.sale(), order.user(), order.lines(), order.partition());
        follow(connection, standing, order, step);
        lower(connection, List.of(credit));
        moved(order, isExpired ? Column.EXPIRED : Column.RETURNED).write(connection, Sums.STEPS);
        OwedCredits.owe(connection, credit);
        return credit;
    }

    private static void follow(Connection connection, Standing standing, Order order, Step step)
            throws SQLException {
        boolean first = order.status() != OrderStatus.RESERVED
                || Reservations.take(connection, order);
        if (!first || StepRows.insert(connection, standing, order.month(), List.of(step))
                .isEmpty()) {
            throw new SQLException("another step came first", OVERTAKEN);
        }
    }

    private static Sums moved(Order order, Column to) {
        Map<String, Long> quantities = order.quantities();
        return new Sums().remove(order.sale(), order.partition(), quantities,
                Column.of(order.status())).add(order.sale(), order.partition(), quantities, to);
    }

    /**
     * Ends reservations of a partition that were to be paid by now, by Redis's clock and by
     * PostgreSQL's. Those of a partition that is behind Redis stay, and those that are on hold.
     *
     * @param redisMs the time by the partition's Redis
     * @param most    at most so many
     * @return what is owed to Redis now
     */
    public static List<OwedCredit> expire(Connection connection, Standing standing, int partition,
            long redisMs, int most) throws SQLException {
        if (!standing.checked()) {
            return List.of();
        }
        List<OwedCredit> ended = EXPIRE.list(connection, OwedCredits::of, partition, redisMs,
                partition, most, partition, standing.epoch(), EXPIRY.text());
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

    /** Takes orders that end out of what is sold. */
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
     * Notes that units are back in Redis. Those that another transaction is at, or has noted, are
     * passed over.
     *
     * @param words Redis's word for each order, which becomes the step's cause; credits without a
     *              word stay owed
     */
    public static void credited(Connection connection, Standing standing,
            List<OwedCredit> credits, Map<UUID, String> words) throws SQLException {
        List<OwedCredit> given = credits.stream()
                .filter(credit -> words.containsKey(credit.order())).toList();
        if (given.isEmpty()) {
            return;
        }
        Sums sums = new Sums();
        CREDITED.each(connection, row -> {
            OwedCredit credit = OwedCredits.of(row);
            sums.add(credit.sale(), credit.partition(), Lines.quantities(credit.lines()),
                    Column.CREDITED);
        }, OwedCredits.months(given), OwedCredits.ids(given),
                SqlArray.texts(given, credit -> words.get(credit.order())),
                standing.epoch(), CREDITS.text());
        sums.write(connection, Sums.STEPS);
    }

    /**
     * Notes that units of rejected orders of one month are not taken in Redis any more.
     *
     * @return the orders of which that was not noted before
     */
    public static List<Order> settle(Connection connection, Standing standing, int month,
            List<Order> rejected, Actor actor, String cause) throws SQLException {
        Set<UUID> settled = StepRows.insert(connection, standing, month, rejected.stream()
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
