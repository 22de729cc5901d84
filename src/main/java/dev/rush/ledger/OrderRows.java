package dev.rush.ledger;

import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads orders with their current status, in the caller's transaction. Months are yyyymm; those of
 * a sale's orders are the sale's. Every statement names the months of each table for itself, so
 * that others cost nothing.
 */
public final class OrderRows {

    static final String COLUMNS = "o.id, o.month, o.sale, o.user_id, o.key, o.digest,"
            + " o.lines, o.lefts, o.placed_at_ms, o.pay_by_ms, o.partition, o.seq, o.block";
    /** With its last step and its payment reference. */
    private static final String WITH_STATUS = "SELECT " + COLUMNS + """
            , s.kind, s.step, (SELECT c.reference FROM steps c WHERE c.month = ?
                AND c.order_id = o.id AND c.step = 1 AND c.kind = 'confirmed')
            FROM orders o LEFT JOIN LATERAL (SELECT s.kind, s.step FROM steps s
                WHERE s.month = ? AND s.order_id = o.id AND s.kind NOT IN ('credited', 'settled')
                ORDER BY s.step DESC LIMIT 1) s ON true
            WHERE o.month = ? AND\s""";
    private static final String REJECTED = "SELECT " + COLUMNS
            + ", 'rejected', 0, NULL FROM rejected o WHERE o.month = ? AND ";

    /**
     * Without the sale, because in a month without statistics the planner might choose its index.
     */
    private static final Sql BY_ID = Sql.named("order-by-id", WITH_STATUS + "o.id = ?");
    private static final Sql REJECTED_BY_ID =
            Sql.named("rejected-by-id", REJECTED + "o.id = ?");
    private static final Sql BY_KEY = Sql.named("order-of-key",
            WITH_STATUS + "o.sale = ? AND o.user_id = ? AND o.claim IN ('', ?) AND o.key = ?");
    private static final Sql REJECTED_BY_KEY = Sql.named("rejected-of-key",
            REJECTED + "o.sale = ? AND o.user_id = ? AND o.key = ? ORDER BY o.id DESC LIMIT 1");
    private static final Sql OF_USER = Sql.named("orders-of-buyer",
            WITH_STATUS + "o.sale = ? AND o.user_id = ? ORDER BY o.id DESC LIMIT ?");
    private static final Sql REJECTED_OF_USER = Sql.named("rejected-of-buyer",
            REJECTED + "o.sale = ? AND o.user_id = ? ORDER BY o.id DESC LIMIT ?");
    /** A bitmap scan would read and sort all orders of the sale after the cursor. */
    private static final String NO_BITMAP = "SET LOCAL enable_bitmapscan = off";
    private static final String PAGE = "o.sale = ? AND o.user_id >= ?"
            + " AND (o.user_id, o.id) > (?, ?) ORDER BY o.user_id, o.id LIMIT ?";
    private static final Sql SALE_PAGE =
            Sql.named("sale-page", NO_BITMAP, WITH_STATUS + PAGE);
    private static final Sql REJECTED_PAGE =
            Sql.named("rejected-page", NO_BITMAP, REJECTED + PAGE);
    /**
     * All sales of the partition at once, because with a sale the planner sorts all of its orders.
     * The index has the number only, so orders that share one are sorted by id when they are read.
     * The steps of a month's orders are read in one scan, because the ids begin with the time and
     * so are neighbours in the index. FULL keeps the planner from a nested loop.
     */
    private static final Sql PARTITION_PAGE = Sql.named("partition-page", NO_BITMAP,
            "WITH page AS MATERIALIZED (SELECT " + COLUMNS + """

                FROM orders o WHERE o.month = ANY (?) AND o.partition = ?
                    AND (o.seq, o.id) > (?, ?) ORDER BY o.seq, o.id LIMIT ?),
            changed AS (SELECT c.*
                FROM (SELECT month, array_agg(id) AS ids FROM page GROUP BY month) m
                JOIN LATERAL (SELECT s.order_id,
                    (array_agg(s.kind ORDER BY s.step DESC)
                        FILTER (WHERE s.kind NOT IN ('credited', 'settled')))[1] AS kind,
                    max(s.step) FILTER (WHERE s.kind NOT IN ('credited', 'settled')) AS step,
                    max(s.reference) FILTER (WHERE s.step = 1 AND s.kind = 'confirmed')
                        AS reference
                    FROM steps s WHERE s.month = ANY (?) AND s.month = m.month
                        AND s.order_id = ANY (m.ids) GROUP BY s.order_id) c ON true)
            SELECT o.*, c.kind, c.step, c.reference
            FROM page o FULL JOIN changed c ON c.order_id = o.id ORDER BY o.seq, o.id""");
    private static final Sql REJECTED_PARTITION_PAGE = Sql.named("rejected-partition-page",
            NO_BITMAP, "SELECT " + COLUMNS + """
            , 'rejected', 0, NULL FROM rejected o
            WHERE o.month = ANY (?) AND o.partition = ? AND (o.seq, o.id) > (?, ?)
            ORDER BY o.seq, o.id LIMIT ?""");
    /** Subqueries, because EXISTS is planned as a join with all orders of the month. */
    private static final Sql STORED = Sql.named("stored-ids", """
            SELECT i FROM unnest(?::uuid[]) AS i
            LEFT JOIN LATERAL (SELECT true AS found FROM orders o
                WHERE o.month = ? AND o.id = i LIMIT 1) o ON true
            LEFT JOIN LATERAL (SELECT true AS found FROM rejected r
                WHERE r.month = ? AND r.id = i LIMIT 1) r ON true
            WHERE o.found OR r.found""");

    private OrderRows() {
    }

    /** The order with this id in this sale, rejected or not; or null. */
    public static @Nullable Order find(Connection connection, int month, String sale, UUID id)
            throws SQLException {
        Order order = find(connection, month, id);
        if (order == null) {
            order = REJECTED_BY_ID.first(connection, OrderRows::of, month, id);
        }
        return order != null && order.sale().equals(sale) ? order : null;
    }

    /** The order with this id in any sale, but not a rejected one; or null. */
    public static @Nullable Order find(Connection connection, int month, UUID id)
            throws SQLException {
        return BY_ID.first(connection, OrderRows::of, month, month, month, id);
    }

    /** The current state of an order that this transaction has found. */
    public static Order reread(Connection connection, Order order) throws SQLException {
        return BY_ID.one(connection, OrderRows::of, order.month(), order.month(), order.month(),
                order.id());
    }

    /**
     * A user's order under a key, a rejected one only if there is no other; or null. An order
     * without a client's key is found by its id.
     */
    public static @Nullable Order byKey(Connection connection, int month, String sale, String user,
            String key) throws SQLException {
        Order order = BY_KEY.first(connection, OrderRows::of, month, month, month, sale, user,
                key, key);
        if (order == null) {
            order = byOwnId(connection, month, sale, user, key);
        }
        return order != null ? order : REJECTED_BY_KEY.first(connection, OrderRows::of, month,
                sale, user, key);
    }

    private static @Nullable Order byOwnId(
            Connection connection, int month, String sale, String user,
            String key) throws SQLException {
        UUID id = idIn(key);
        Order order = id == null ? null : find(connection, month, sale, id);
        return order != null && order.key() == null && order.user().equals(user) ? order : null;
    }

    /** The id that serves as a key where the client sent none; null if the key is no id. */
    static @Nullable UUID idIn(String key) {
        try {
            UUID id = UUID.fromString(key);
            return id.toString().equals(key) ? id : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** A user's orders of a sale, including rejected ones, newest first. */
    public static List<Order> ofUser(Connection connection, int month, String sale, String user,
            int max) throws SQLException {
        List<Order> orders = new ArrayList<>(OF_USER.list(connection, OrderRows::of, month, month,
                month, sale, user, max));
        orders.addAll(REJECTED_OF_USER.list(connection, OrderRows::of, month, sale, user, max));
        // In the order of PostgreSQL; Java compares ids as signed numbers.
        orders.sort(Comparator.comparing((Order order) -> order.id().toString()).reversed());
        return List.copyOf(orders.subList(0, Math.min(max, orders.size())));
    }

    /** Orders of a sale after a cursor, by user and id, without rejected ones. */
    public static List<Order> page(Connection connection, int month, String sale, Cursor after,
            int max) throws SQLException {
        return SALE_PAGE.list(connection, OrderRows::of, month, month, month, sale, after.user(),
                after.user(), after.id(), max);
    }

    /** As {@link #page}, of the rejected ones. */
    public static List<Order> rejectedPage(Connection connection, int month, String sale,
            Cursor after, int max) throws SQLException {
        return REJECTED_PAGE.list(connection, OrderRows::of, month, sale, after.user(),
                after.user(), after.id(), max);
    }

    /**
     * Orders of a partition, of all its sales, after a number and id, without rejected ones.
     * Several may have the same number.
     *
     * @param months all in which the partition may have orders
     */
    public static List<Order> partitionPage(Connection connection, Collection<Integer> months,
            int partition, long seq, UUID id, int max) throws SQLException {
        SqlArray all = SqlArray.integers(months);
        return PARTITION_PAGE.list(connection, OrderRows::of, all, partition, seq, id, max,
                all);
    }

    /** As {@link #partitionPage}, of the rejected ones. */
    public static List<Order> rejectedPartitionPage(Connection connection,
            Collection<Integer> months, int partition, long seq, UUID id, int max)
            throws SQLException {
        return REJECTED_PARTITION_PAGE.list(connection, OrderRows::of,
                SqlArray.integers(months), partition, seq, id, max);
    }

    /**
     * Which of these ids the ledger has, as orders or rejected orders; at most 1,000 of one month.
     */
    public static Set<UUID> stored(Connection connection, int month, Collection<UUID> ids)
            throws SQLException {
        return Set.copyOf(STORED.list(connection, row -> row.getObject(1, UUID.class),
                SqlArray.ids(ids), month, month));
    }

    static Order of(ResultSet row) throws SQLException {
        long payBy = row.getLong(10);
        String kind = row.getString(14);
        // Steps that change no status are not read.
        OrderStatus status = kind != null ? Objects.requireNonNull(StepKind.of(kind).status())
                : payBy > 0 ? OrderStatus.RESERVED : OrderStatus.CONFIRMED;
        return new Order(row.getObject(1, UUID.class), row.getInt(2), row.getString(3),
                row.getString(4), row.getString(5), row.getString(6), row.getString(7),
                row.getString(8), row.getLong(9), payBy, row.getInt(11), row.getLong(12),
                row.getLong(13), status, row.getInt(15), row.getString(16));
    }
}
