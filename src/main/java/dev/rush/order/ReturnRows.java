package dev.rush.order;

import dev.rush.http.Caller;
import dev.rush.order.sql.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** What the ledger does for a return, each in the caller's transaction. */
final class ReturnRows {

    /** Returns by a key that nobody has seen, per user and sale. */
    static final int UNSEEN_MAX = 20;
    /** Returns that wait or ended as void in a sale, while more of unknown orders may come. */
    private static final int UNKNOWN_MAX = 10_000;

    private static final Sql STATE = Sql.named("sale-state",
            "SELECT state FROM sales WHERE sale = ?");
    private static final Sql BY_ORDER = Sql.named("order-to-return-by-id", """
            SELECT id, sale, user_id, key, partition, status, credit FROM orders
            WHERE id = ? AND sale = ? FOR UPDATE""");
    private static final Sql BY_KEY = Sql.named("order-to-return-by-key", """
            SELECT id, sale, user_id, key, partition, status, credit FROM orders
            WHERE sale = ? AND user_id = ? AND key = ?
            ORDER BY status = 'rejected' LIMIT 1 FOR UPDATE""");
    private static final Sql END = Sql.named("end-returned-order", """
            UPDATE orders SET status = 'returned', credit = 'pending', ended_at = now()
            WHERE id = ?""");
    private static final Sql NOTE_PARKED = Sql.named("end-parked-returns", """
            UPDATE returns SET state = 'returned', reason = '', ended_at = now()
            WHERE sale = ? AND state IN ('parked', 'alarmed')
                AND (order_id = ? OR user_id = ? AND key = ?)""");
    private static final Sql NOTE_NEW = Sql.named("insert-ended-return", """
            INSERT INTO returns (id, sale, user_id, order_id, state, ended_at)
            SELECT gen_random_uuid(), ?, ?, ?, 'returned', now()
            WHERE NOT EXISTS (SELECT 1 FROM returns WHERE sale = ?
                AND (order_id = ? OR user_id = ? AND key = ?))
            ON CONFLICT DO NOTHING""");
    private static final Sql FIND = Sql.named("return-of-order-or-key",
            "SELECT " + ReturnView.COLUMNS + """
             FROM returns WHERE sale = ? AND (order_id = ? OR user_id = ? AND key = ?)
            ORDER BY order_id IS NULL LIMIT 1""");
    private static final Sql PARK_ORDER = Sql.named("park-return-of-order", """
            INSERT INTO returns (id, sale, user_id, order_id, state, reason, operator)
            VALUES (gen_random_uuid(), ?, ?, ?, 'parked', ?, ?)
            ON CONFLICT DO NOTHING""");
    private static final Sql COUNT_UNKNOWN = Sql.named("count-returns-of-unknown-orders", """
            SELECT count(*), count(*) FILTER (WHERE user_id = ?) FROM (
                SELECT user_id FROM returns WHERE sale = ? AND order_id IS NOT NULL
                    AND state IN ('parked', 'alarmed', 'void') LIMIT ?) AS unknown""");
    private static final Sql LOCK = Sql.named("lock-returns-of-user",
            "SELECT pg_advisory_xact_lock(hashtextextended(?, 1))");
    private static final Sql HOLD_PARKING = Sql.named("hold-parking-of-sale",
            "SELECT pg_try_advisory_xact_lock_shared(hashtextextended('parking ' || ?, 0))");
    private static final Sql PARK_KEY = Sql.named("park-return-of-key", """
            INSERT INTO returns (id, sale, user_id, key, state, reason)
            SELECT gen_random_uuid(), ?, ?, ?, 'parked', ?
            WHERE (SELECT count(*) FROM returns
                WHERE sale = ? AND user_id = ? AND order_id IS NULL) < ?
            ON CONFLICT DO NOTHING""");
    private static final Sql DEAD_LETTER_OF = Sql.named("user-of-dead-letter", """
            SELECT fields ->> 'user' FROM dead_letters
            WHERE sale = ? AND state = 'waiting' AND (order_id = ?::text
                OR fields ->> 'user' = ? AND fields ->> 'key' = ?) LIMIT 1""");
    private static final Sql HAS_LOST = Sql.named("sale-has-losses", """
            SELECT 1 FROM losses l JOIN sales s ON l.partition = ANY (s.partitions)
            WHERE s.sale = ? AND l.noticed_at >= s.prepared_at LIMIT 1""");
    private static final Sql IS_LOSING = Sql.named("sale-has-open-losses", """
            SELECT 1 FROM losses l JOIN sales s ON l.partition = ANY (s.partitions)
            WHERE s.sale = ? AND (l.lost IS NULL OR l.restored_at IS NULL) LIMIT 1""");
    private static final Sql LIST = Sql.named("returns-of-sale",
            "SELECT " + ReturnView.COLUMNS + """
             FROM returns WHERE sale = ? AND state = ?
            ORDER BY created_at DESC LIMIT ?""");

    private ReturnRows() {
    }

    /**
     * An order as a return finds it.
     *
     * @param pending whether its units are still to be given back to Redis
     */
    record Order(UUID id, String sale, String user, String key, int partition, String status,
            boolean pending) {

        private static Order of(ResultSet row) throws SQLException {
            return new Order(row.getObject(1, UUID.class), row.getString(2), row.getString(3),
                    row.getString(4), row.getInt(5), row.getString(6),
                    "pending".equals(row.getString(7)));
        }

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
        return STATE.first(connection, row -> row.getString(1), sale);
    }

    /** The order of this id, locked; or null. */
    static Order byOrder(Connection connection, String sale, UUID order) throws SQLException {
        return BY_ORDER.first(connection, Order::of, order, sale);
    }

    /** The order of this key, locked, a rejected one only where there is no other; or null. */
    static Order byKey(Connection connection, String sale, String user, String key)
            throws SQLException {
        return BY_KEY.first(connection, Order::of, sale, user, key);
    }

    /** Ends a reserved or confirmed order: its units are free in the ledger and owed to Redis. */
    static Order end(Connection connection, Order order) throws SQLException {
        END.update(connection, order.id);
        Sold.giveBack(connection, List.of(order.id));
        return new Order(order.id, order.sale, order.user, order.key, order.partition, "returned",
                true);
    }

    /** Notes that an order was returned, in the rows that waited for it or in one of its own. */
    static ReturnView noteReturned(Connection connection, Order order) throws SQLException {
        NOTE_PARKED.update(connection, order.sale, order.id, order.user, order.key);
        NOTE_NEW.update(connection, order.sale, order.user, order.id,
                order.sale, order.id, order.user, order.key);
        return find(connection, order.sale, order.id, order.user, order.key);
    }

    /** The return of an order or key, or null. */
    static ReturnView find(Connection connection, String sale, UUID order, String user,
            String key) throws SQLException {
        return FIND.first(connection, ReturnView::of, sale, order, user, key);
    }

    /** Parks the return of an order; one that waits already goes on waiting. */
    static void parkOrder(Connection connection, String sale, UUID order, String user,
            Caller caller, String reason) throws SQLException {
        PARK_ORDER.update(connection, sale, user, order, reason, caller.actsForAnyone());
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
        boolean full = COUNT_UNKNOWN.one(connection,
                row -> row.getInt(1) >= UNKNOWN_MAX || row.getInt(2) >= UNSEEN_MAX,
                caller.user(), sale, UNKNOWN_MAX);
        if (full) {
            return false;
        }
        parkOrder(connection, sale, order, caller.user(), caller, reason);
        return true;
    }

    /** Lets one transaction at a time count what a user has parked of a sale, and add to it. */
    private static void lock(Connection connection, String sale, String user)
            throws SQLException {
        LOCK.call(connection, sale + " " + user);
    }

    /**
     * Whether returns by key can be parked now, until the end of the transaction: not while a
     * rebuild of the sale reads them. So it either finds a return and refuses its key, or has put
     * the sale back before the return is parked, so that Redis can be told.
     */
    static boolean holdParking(Connection connection, String sale) throws SQLException {
        return HOLD_PARKING.one(connection, row -> row.getBoolean(1), sale);
    }

    /** Parks a return by key, unless the user has too many of those. Says whether it did. */
    static boolean parkKey(Connection connection, String sale, String user, String key,
            String reason) throws SQLException {
        lock(connection, sale, user);
        return find(connection, sale, null, user, key) != null
                || PARK_KEY.update(connection, sale, user, key, reason,
                        sale, user, UNSEEN_MAX) == 1;
    }

    /** Whose dead letter has this order or key, or null. */
    static String deadLetterOf(Connection connection, String sale, UUID order, String user,
            String key) throws SQLException {
        return DEAD_LETTER_OF.first(connection, row -> row.getString(1), sale, order, user, key);
    }

    /** Whether Redis is known to have lost orders of the sale's partitions since it was there. */
    static boolean hasLost(Connection connection, String sale) throws SQLException {
        return HAS_LOST.exists(connection, sale);
    }

    /** Whether something that Redis lost of the sale's partitions is not yet counted or mended. */
    static boolean isLosing(Connection connection, String sale) throws SQLException {
        return IS_LOSING.exists(connection, sale);
    }

    /** Returns of a sale, newest first. */
    static List<ReturnView> list(Connection connection, String sale, String state, int most)
            throws SQLException {
        return LIST.list(connection, ReturnView::of, sale, state, most);
    }
}
