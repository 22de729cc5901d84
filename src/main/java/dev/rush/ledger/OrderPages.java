package dev.rush.ledger;

import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The orders of a sale, newest first, page by page. Ids begin with their creation time, so the
 * primary key orders all orders of a month by time. A page examines at most a few thousand orders,
 * of any sale, so it may be short. The sale's window bounds the range.
 */
public final class OrderPages {

    /** Number of orders, and of rejected orders, that one statement examines. */
    static final int SCAN_SIZE = 1_000;
    /** Maximum number of statements for one page, of each kind. */
    private static final int SCANS_MAX = 5;
    /** Maximum difference between the clocks of pods, Redis and PostgreSQL. */
    private static final long CLOCK_SKEW_MAX_MS = 600_000;
    /** Any version, variant and random bits sort after the bare time. */
    private static final int TIME_BITS = 16;
    /** The order of ids in PostgreSQL; Java compares them as signed numbers. */
    private static final Comparator<UUID> ORDER = Comparator.comparing(UUID::toString);

    private static final Sql WINDOW = Sql.named("window-of-sale", """
            SELECT month, (extract(epoch FROM prepared_at) * 1000)::bigint,
                COALESCE(NULLIF(closed_at_ms, 0), ends_at_ms)
            FROM sales WHERE sale = ?""");
    /** Without statistics, the planner would sort a month instead of reading it by its key. */
    private static final String BY_INDEX = "SET LOCAL enable_sort = off";
    /** Includes the last order examined, of any sale, because its id is the next cursor. */
    private static final String EXAMINED = """
            SELECT p.*, row_number() OVER (ORDER BY p.id DESC) AS place FROM %s p
                WHERE p.month = ? AND p.id < ? AND p.id >= ? ORDER BY p.id DESC LIMIT ?""";
    private static final String WANTED =
            " WHERE o.sale = ? OR o.place = ? ORDER BY o.id DESC";
    private static final Sql ORDERS = Sql.named("orders-by-time", BY_INDEX, "SELECT "
            + OrderRows.COLUMNS + """
            , s.kind, s.step, (SELECT c.reference FROM steps c WHERE c.month = ?
                AND c.order_id = o.id AND c.step = 1 AND c.kind = 'confirmed'), o.place
            FROM (""" + EXAMINED.formatted("orders") + """
            ) o LEFT JOIN LATERAL (SELECT s.kind, s.step FROM steps s
                WHERE s.month = ? AND s.order_id = o.id AND s.kind NOT IN ('credited', 'settled')
                ORDER BY s.step DESC LIMIT 1) s ON true""" + WANTED);
    private static final Sql REJECTED = Sql.named("rejected-by-time", BY_INDEX, "SELECT "
            + OrderRows.COLUMNS + ", 'rejected', 0, NULL, o.place FROM ("
            + EXAMINED.formatted("rejected") + ") o" + WANTED);

    private OrderPages() {
    }

    /**
     * A page, which may be short or even empty.
     *
     * @param next the id before which the next page begins; null if this was the last page
     */
    public record Page(List<Order> orders, @Nullable UUID next) {
    }

    /** A sale's month, the lowest id that its orders may have, and the lowest above all of them. */
    private record Window(int month, UUID first, UUID end) {
    }

    /**
     * The result of one statement.
     *
     * @param last the id up to which it examined orders; null if it examined all
     */
    private record Scan(List<Order> orders, @Nullable UUID last) {
    }

    /**
     * Orders of a sale in the ledger, including rejected ones.
     *
     * @param sinceMs lower bound of the times at which orders were placed
     * @param before  only orders with ids below this one; null for all
     * @param max     maximum number of orders
     */
    public static Page of(Connection connection, String sale, long sinceMs,
            Predicate<Order> wanted, @Nullable UUID before, int max) throws SQLException {
        Window window = WINDOW.first(connection, row -> window(row, sinceMs), sale);
        if (window == null) {
            return new Page(List.of(), null);
        }
        UUID from = before == null || ORDER.compare(before, window.end) > 0 ? window.end : before;
        List<Order> found = new ArrayList<>();
        for (int scans = 0; scans < SCANS_MAX && from != null; scans++) {
            Scan orders = scan(connection, ORDERS, sale, window, from);
            Scan rejected = scan(connection, REJECTED, sale, window, from);
            UUID last = later(orders.last, rejected.last);
            List<Order> seen = new ArrayList<>(orders.orders);
            seen.addAll(rejected.orders);
            seen.removeIf(order -> !wanted.test(order)
                    || last != null && ORDER.compare(order.id(), last) < 0);
            seen.sort(Comparator.comparing(Order::id, ORDER).reversed());
            int room = Math.min(max - found.size(), seen.size());
            found.addAll(seen.subList(0, room));
            if (room < seen.size()) {
                return new Page(found, found.get(max - 1).id());
            }
            from = last;
            if (found.size() == max) {
                break;
            }
        }
        return new Page(found, from);
    }

    private static Window window(ResultSet row, long sinceMs) throws SQLException {
        long first = Math.max(row.getLong(2), sinceMs) - CLOCK_SKEW_MAX_MS;
        long end = row.getLong(3);
        return new Window(row.getInt(1), firstId(Math.max(0, first)),
                end == 0 ? new UUID(-1, -1) : firstId(end + CLOCK_SKEW_MAX_MS));
    }

    /** The first id of a millisecond. */
    private static UUID firstId(long ms) {
        return new UUID(ms << TIME_BITS, 0);
    }

    private static Scan scan(
            Connection connection, Sql sql, String sale, Window window, UUID from)
            throws SQLException {
        UUID[] last = new UUID[1];
        List<Order> orders = new ArrayList<>();
        Sql.RowReader reader = row -> {
            Order order = OrderRows.of(row);
            if (row.getInt(17) == SCAN_SIZE) {
                last[0] = order.id();
            }
            if (order.sale().equals(sale)) {
                orders.add(order);
            }
        };
        int month = window.month;
        if (sql == ORDERS) {
            sql.each(connection, reader, month, month, from, window.first, SCAN_SIZE, month, sale,
                    SCAN_SIZE);
        } else {
            sql.each(connection, reader, month, from, window.first, SCAN_SIZE, sale, SCAN_SIZE);
        }
        return new Scan(orders, last[0]);
    }

    private static @Nullable UUID later(@Nullable UUID a, @Nullable UUID b) {
        return a == null || b != null && ORDER.compare(b, a) > 0 ? b : a;
    }
}
