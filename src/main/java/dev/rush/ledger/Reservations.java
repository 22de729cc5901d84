package dev.rush.ledger;

import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Open reservations, a small working set. Every transaction that ends or confirms a reserved order
 * changes its row here first, so that concurrent ones wait for each other there and nowhere else.
 */
public final class Reservations {

    private static final Sql TAKE = Sql.named("take-reservation", """
            DELETE FROM reservations WHERE partition = ? AND held IN (false, true)
                AND pay_by_ms = ? AND order_id = ?""");
    private static final Sql EARLIEST = Sql.named("earliest-due", """
            SELECT p.partition, r.pay_by_ms FROM unnest(?::integer[]) AS p (partition)
            JOIN LATERAL (SELECT r.pay_by_ms FROM reservations r
                WHERE r.partition = p.partition AND NOT r.held AND r.pay_by_ms >= ?
                ORDER BY r.pay_by_ms LIMIT 1) r ON true""");
    /** Changes rows by their place: a join would be planned without knowing how many they are. */
    private static final String CHANGE_NEXT = """
            changed AS (
                UPDATE reservations SET held = NOT held
                WHERE ctid = ANY (ARRAY(SELECT ctid FROM next)) RETURNING pay_by_ms)
            SELECT count(*)::integer, COALESCE(max(pay_by_ms), 0) FROM changed""";
    private static final Sql HOLD = Sql.named("hold-reservations", """
            WITH next AS MATERIALIZED (
                SELECT ctid FROM reservations WHERE partition = ? AND NOT held AND pay_by_ms >= ?
                ORDER BY pay_by_ms LIMIT ? FOR UPDATE),
            """ + CHANGE_NEXT);
    private static final Sql HOLD_SOME = Sql.named("hold-some-reservations", """
            UPDATE reservations r SET held = true
            FROM unnest(?::bigint[], ?::uuid[]) AS o (pay_by_ms, order_id)
            WHERE r.partition = ? AND NOT r.held AND r.pay_by_ms = o.pay_by_ms
                AND r.order_id = o.order_id""");
    private static final Sql RELEASE = Sql.named("release-reservation", """
            UPDATE reservations SET held = false
            WHERE partition = ? AND held AND pay_by_ms = ? AND order_id = ?""");
    private static final Sql RELEASE_NEXT = Sql.named("release-reservations", """
            WITH next AS MATERIALIZED (
                SELECT ctid FROM reservations WHERE held AND sale = ? AND pay_by_ms >= ?
                ORDER BY pay_by_ms, order_id LIMIT ? FOR UPDATE),
            """ + CHANGE_NEXT);
    private static final Sql COUNT_HELD = Sql.named("count-held", """
            SELECT count(*) FROM reservations WHERE held AND sale = ?""");
    private static final Sql HELD = Sql.named("held-reservations", """
            SELECT order_id, user_id, pay_by_ms FROM reservations WHERE held AND sale = ?
            ORDER BY pay_by_ms, order_id LIMIT ?""");

    private Reservations() {
    }

    /**
     * Removes an order's reservation. Returns false if another transaction has resolved the order.
     */
    static boolean take(Connection connection, Order order) throws SQLException {
        return TAKE.update(connection, order.partition(), order.payBy(), order.id()) == 1;
    }

    /**
     * The earliest payment deadline of each partition, in Redis's milliseconds. Reservations on
     * hold are ignored.
     *
     * @param from skips earlier deadlines, whose dead rows cost time until they are vacuumed
     */
    public static Map<Integer, Long> earliest(Connection connection,
            Collection<Integer> partitions, long from) throws SQLException {
        Map<Integer, Long> earliest = new HashMap<>();
        EARLIEST.each(connection, row -> earliest.put(row.getInt(1), row.getLong(2)),
                SqlArray.integers(partitions), from);
        return earliest;
    }

    /**
     * Reservations that were put on hold, or released.
     *
     * @param lastPayByMs the latest of their payment deadlines; 0 if there are none
     */
    public record Part(int orders, long lastPayByMs) {
    }

    /**
     * Puts reservations of a partition on hold, in the order of their payment deadlines.
     *
     * @param from skips earlier deadlines, whose dead rows cost time until they are vacuumed
     * @param max  maximum number; if there are fewer, all are on hold
     */
    public static Part hold(Connection connection, int partition, long from, int max)
            throws SQLException {
        return HOLD.one(connection, row -> new Part(row.getInt(1), row.getLong(2)),
                partition, from, max);
    }

    /**
     * Puts some reservations of a partition on hold, given as orders with their payment deadlines.
     */
    public static void hold(Connection connection, int partition, Map<UUID, Long> orders)
            throws SQLException {
        List<UUID> ids = List.copyOf(orders.keySet());
        HOLD_SOME.update(connection, SqlArray.longs(ids, orders::get), SqlArray.ids(ids),
                partition);
    }

    /** Releases an order's reservation; false if it is not on hold. */
    public static boolean release(Connection connection, Order order) throws SQLException {
        return RELEASE.update(connection, order.partition(), order.payBy(), order.id()) == 1;
    }

    /**
     * Releases reservations of a sale, in the order of their payment deadlines, so that they can
     * expire again.
     *
     * @param from skips earlier deadlines, whose dead rows cost time until they are vacuumed
     * @param max  maximum number
     */
    public static Part release(Connection connection, String sale, long from, int max)
            throws SQLException {
        return RELEASE_NEXT.one(connection, row -> new Part(row.getInt(1), row.getLong(2)),
                sale, from, max);
    }

    /** A reservation that is on hold. */
    public record Held(UUID order, String user, long payByMs) {
    }

    /** The first reservations of a sale that are on hold, by payment deadline. */
    public static List<Held> firstHeld(Connection connection, String sale, int max)
            throws SQLException {
        return HELD.list(connection, row -> new Held(row.getObject(1, UUID.class),
                row.getString(2), row.getLong(3)), sale, max);
    }

    /** How many reservations of a sale are on hold. */
    public static long held(Connection connection, String sale) throws SQLException {
        return COUNT_HELD.one(connection, row -> row.getLong(1), sale);
    }
}
