package dev.rush.order;

import dev.rush.http.Caller;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** What the ledger does for a return, each in the caller's transaction. */
final class ReturnRows {

    /** Returns by a key that nobody has seen, per user and sale. */
    static final int UNSEEN_MAX = 20;
    /** Returns that wait or ended as void in a sale, while more of unknown orders may come. */
    private static final int UNKNOWN_MAX = 10_000;

    private ReturnRows() {
    }

    /**
     * An order as a return finds it.
     *
     * @param pending whether its units are still to be given back to Redis
     */
    record Order(UUID id, String sale, String user, String key, int partition, String status,
            boolean pending) {

        Credits.Due due() {
            return new Credits.Due(id, sale, user, partition, status.equals("expired"));
        }
    }

    static boolean isSale(Connection connection, String sale) throws SQLException {
        return state(connection, sale) != null;
    }

    /** Whether a sale is over and every order of it is in the ledger. */
    static boolean isRetired(Connection connection, String sale) throws SQLException {
        return LedgerState.isRetired(state(connection, sale));
    }

    private static String state(Connection connection, String sale) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT state FROM sales WHERE sale = ?")) {
            select.setString(1, sale);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    /** The order of this id, locked; or null. */
    static Order byOrder(Connection connection, String sale, UUID order) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT id, sale, user_id, key, partition, status, credit FROM orders
                WHERE id = ? AND sale = ? FOR UPDATE""")) {
            select.setObject(1, order);
            select.setString(2, sale);
            return order(select);
        }
    }

    /** The order of this key, locked, a rejected one only where there is no other; or null. */
    static Order byKey(Connection connection, String sale, String user, String key)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT id, sale, user_id, key, partition, status, credit FROM orders
                WHERE sale = ? AND user_id = ? AND key = ?
                ORDER BY status = 'rejected' LIMIT 1 FOR UPDATE""")) {
            select.setString(1, sale);
            select.setString(2, user);
            select.setString(3, key);
            return order(select);
        }
    }

    private static Order order(PreparedStatement select) throws SQLException {
        try (ResultSet row = select.executeQuery()) {
            return !row.next() ? null : new Order(row.getObject(1, UUID.class), row.getString(2),
                    row.getString(3), row.getString(4), row.getInt(5), row.getString(6),
                    "pending".equals(row.getString(7)));
        }
    }

    /** Ends a reserved or confirmed order: its units are free in the ledger and owed to Redis. */
    static Order end(Connection connection, Order order) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("""
                UPDATE orders SET status = 'returned', credit = 'pending', ended_at = now()
                WHERE id = ?""")) {
            update.setObject(1, order.id);
            update.executeUpdate();
        }
        Sold.giveBack(connection, List.of(order.id));
        return new Order(order.id, order.sale, order.user, order.key, order.partition, "returned",
                true);
    }

    /** Notes that an order was returned, in the rows that waited for it or in one of its own. */
    static ReturnView noteReturned(Connection connection, Order order) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("""
                UPDATE returns SET state = 'returned', reason = '', ended_at = now()
                WHERE sale = ? AND state IN ('parked', 'alarmed')
                    AND (order_id = ? OR user_id = ? AND key = ?)""");
                PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO returns (id, sale, user_id, order_id, state, ended_at)
                SELECT gen_random_uuid(), ?, ?, ?, 'returned', now()
                WHERE NOT EXISTS (SELECT 1 FROM returns WHERE sale = ?
                    AND (order_id = ? OR user_id = ? AND key = ?))
                ON CONFLICT DO NOTHING""")) {
            update.setString(1, order.sale);
            update.setObject(2, order.id);
            update.setString(3, order.user);
            update.setString(4, order.key);
            update.executeUpdate();
            insert.setString(1, order.sale);
            insert.setString(2, order.user);
            insert.setObject(3, order.id);
            insert.setString(4, order.sale);
            insert.setObject(5, order.id);
            insert.setString(6, order.user);
            insert.setString(7, order.key);
            insert.executeUpdate();
        }
        return find(connection, order.sale, order.id, order.user, order.key);
    }

    /** The return of an order or key, or null. */
    static ReturnView find(Connection connection, String sale, UUID order, String user,
            String key) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT " + ReturnView.COLUMNS + """
                 FROM returns WHERE sale = ? AND (order_id = ? OR user_id = ? AND key = ?)
                ORDER BY order_id IS NULL LIMIT 1""")) {
            select.setString(1, sale);
            select.setObject(2, order);
            select.setString(3, user);
            select.setString(4, key);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? ReturnView.of(row) : null;
            }
        }
    }

    /** Parks the return of an order; one that waits already goes on waiting. */
    static void parkOrder(Connection connection, String sale, UUID order, String user,
            Caller caller, String reason) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO returns (id, sale, user_id, order_id, state, reason, operator)
                VALUES (gen_random_uuid(), ?, ?, ?, 'parked', ?, ?)
                ON CONFLICT DO NOTHING""")) {
            insert.setString(1, sale);
            insert.setString(2, user);
            insert.setObject(3, order);
            insert.setString(4, reason);
            insert.setBoolean(5, caller.actsForAnyone());
            insert.executeUpdate();
        }
    }

    /**
     * Parks the return of an order that no store knows, unless there were too many of those: of
     * this caller, or of all in this sale. Says whether it is there. The sale's own bound keeps
     * many accounts from filling the table; nobody has units under such an id.
     */
    static boolean parkUnknown(Connection connection, String sale, UUID order, Caller caller,
            String reason) throws SQLException {
        lock(connection, sale, caller.user());
        if (find(connection, sale, order, null, null) != null) {
            return true;
        }
        try (PreparedStatement count = connection.prepareStatement("""
                SELECT count(*), count(*) FILTER (WHERE user_id = ?) FROM (
                    SELECT user_id FROM returns WHERE sale = ? AND order_id IS NOT NULL
                        AND state IN ('parked', 'alarmed', 'void') LIMIT ?) AS unknown""")) {
            count.setString(1, caller.user());
            count.setString(2, sale);
            count.setInt(3, UNKNOWN_MAX);
            try (ResultSet row = count.executeQuery()) {
                row.next();
                if (row.getInt(1) >= UNKNOWN_MAX || row.getInt(2) >= UNSEEN_MAX) {
                    return false;
                }
            }
        }
        parkOrder(connection, sale, order, caller.user(), caller, reason);
        return true;
    }

    /** Lets one transaction at a time count what a user has parked of a sale, and add to it. */
    private static void lock(Connection connection, String sale, String user)
            throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement(
                "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))")) {
            lock.setString(1, sale + " " + user);
            lock.executeQuery().close();
        }
    }

    /** Parks a return by key, unless the user has too many of those. Says whether it did. */
    static boolean parkKey(Connection connection, String sale, String user, String key,
            String reason) throws SQLException {
        lock(connection, sale, user);
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO returns (id, sale, user_id, key, state, reason)
                SELECT gen_random_uuid(), ?, ?, ?, 'parked', ?
                WHERE (SELECT count(*) FROM returns
                    WHERE sale = ? AND user_id = ? AND order_id IS NULL) < ?
                ON CONFLICT DO NOTHING""")) {
            if (find(connection, sale, null, user, key) != null) {
                return true;
            }
            insert.setString(1, sale);
            insert.setString(2, user);
            insert.setString(3, key);
            insert.setString(4, reason);
            insert.setString(5, sale);
            insert.setString(6, user);
            insert.setInt(7, UNSEEN_MAX);
            return insert.executeUpdate() == 1;
        }
    }

    /** Whose dead letter has this order or key, or null. */
    static String deadLetterOf(Connection connection, String sale, UUID order, String user,
            String key) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT fields ->> 'user' FROM dead_letters
                WHERE sale = ? AND state = 'waiting' AND (order_id = ?::text
                    OR fields ->> 'user' = ? AND fields ->> 'key' = ?) LIMIT 1""")) {
            select.setString(1, sale);
            select.setObject(2, order);
            select.setString(3, user);
            select.setString(4, key);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    /** Whether Redis is known to have lost orders of the sale's partitions since it was there. */
    static boolean hasLost(Connection connection, String sale) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT 1 FROM losses l JOIN sales s ON l.partition = ANY (s.partitions)
                WHERE s.sale = ? AND l.noticed_at >= s.prepared_at LIMIT 1""")) {
            select.setString(1, sale);
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }

    /** Whether something that Redis lost of the sale's partitions is not yet counted or mended. */
    static boolean isLosing(Connection connection, String sale) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT 1 FROM losses l JOIN sales s ON l.partition = ANY (s.partitions)
                WHERE s.sale = ? AND (l.lost IS NULL OR l.restored_at IS NULL) LIMIT 1""")) {
            select.setString(1, sale);
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }

    /** Returns of a sale, newest first. */
    static List<ReturnView> list(Connection connection, String sale, String state, int most)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT " + ReturnView.COLUMNS + """
                 FROM returns WHERE sale = ? AND state = ?
                ORDER BY created_at DESC LIMIT ?""")) {
            select.setString(1, sale);
            select.setString(2, state);
            select.setInt(3, most);
            List<ReturnView> views = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    views.add(ReturnView.of(row));
                }
            }
            return views;
        }
    }
}
