package dev.rush.order;

import dev.rush.http.Caller;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.ledger.Actor;
import dev.rush.ledger.AuditRows;
import dev.rush.ledger.LedgerState;
import dev.rush.ledger.Order;
import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Returns that wait for their order or ended as void, in the caller's transaction. A completed
 * return is a step of its order, not a row here.
 */
final class ReturnRows {

    /** Maximum parked returns by unknown keys, and of unknown orders, per user and sale. */
    static final int UNSEEN_MAX = 20;
    /**
     * Maximum number of waiting and void returns in a sale up to which returns of unknown orders
     * are accepted.
     */
    private static final int UNKNOWN_MAX = 10_000;

    private static final Sql IS_RETIRED = Sql.named("is-sale-retired", """
            SELECT 1 FROM sales WHERE sale = ?
                AND state IN ('retiring', 'retired', 'archived')""");
    private static final Sql LOCK_RETIRED = Sql.named("lock-retired-sale", """
            SELECT state FROM sales WHERE sale = ?
                AND state IN ('retired', 'archived') FOR SHARE""");
    private static final Sql RETURNED_AT = Sql.named("returned-at",
            "SELECT at FROM steps WHERE month = ? AND order_id = ? AND step = ?");
    private static final Sql OF_ORDER = Sql.named("return-of-order",
            "SELECT " + ReturnView.COLUMNS + " FROM returns WHERE sale = ? AND order_id = ?");
    private static final Sql OF_KEY = Sql.named("return-of-key", "SELECT " + ReturnView.COLUMNS
            + " FROM returns WHERE sale = ? AND user_id = ? AND key = ?");
    private static final Sql PARK_ORDER = Sql.named("park-order", """
            INSERT INTO returns (id, sale, user_id, order_id, state, reason, actor, cause, anyone)
            VALUES (gen_random_uuid(), ?, ?, ?, 'parked', ?, ?, ?, ?)
            ON CONFLICT DO NOTHING""");
    private static final Sql HOLD_PARKING = Sql.named("hold-parking",
            "SELECT pg_try_advisory_xact_lock_shared(hashtextextended('parking ' || ?, 0))");
    private static final Sql PARK_KEY = Sql.named("park-key", """
            INSERT INTO returns (id, sale, user_id, key, state, reason, actor, cause)
            SELECT gen_random_uuid(), ?, ?, ?, 'parked', ?, ?, ?
            WHERE (SELECT count(*) FROM returns
                WHERE sale = ? AND user_id = ? AND key IS NOT NULL) < ?
            ON CONFLICT DO NOTHING""");
    private static final Sql COUNT_UNKNOWN = Sql.named("count-unknown", """
            SELECT count(*), count(*) FILTER (WHERE user_id = ?) FROM (
                SELECT user_id FROM returns WHERE state IN ('parked', 'alarmed', 'void')
                    AND sale = ? AND order_id IS NOT NULL LIMIT ?)
                AS unknown""");
    private static final Sql LOCK = Sql.named("lock-user",
            "SELECT pg_advisory_xact_lock(hashtextextended(?, 1))");
    private static final Sql DROP_OF_ORDER = Sql.named("drop-return-of-order",
            "DELETE FROM returns WHERE sale = ? AND order_id = ?");
    private static final Sql DROP_OF_KEY = Sql.named("drop-return-of-key",
            "DELETE FROM returns WHERE sale = ? AND user_id = ? AND key = ?");
    private static final Sql FAILED_ORDER = Sql.named("failed-order-of", """
            SELECT user_id FROM retries
            WHERE order_id = ?::text AND subject = ? AND state <> 'replayed' LIMIT 1""");
    private static final Sql FAILED_KEY = Sql.named("failed-key-of", """
            SELECT 1 FROM retries
            WHERE subject = ? AND user_id = ? AND key = ? AND state <> 'replayed' LIMIT 1""");
    private static final Sql HAS_LOST = Sql.named("has-lost", """
            SELECT 1 FROM sales s, unnest(s.partitions) AS p (partition)
            JOIN LATERAL (SELECT FROM losses l WHERE l.partition = p.partition
                AND l.noticed_at >= s.prepared_at LIMIT 1) lost ON true
            WHERE s.sale = ? LIMIT 1""");
    private static final Sql IS_LOSING = Sql.named("is-losing", """
            SELECT 1 FROM sales s, unnest(s.partitions) AS p (partition)
            JOIN LATERAL (SELECT FROM losses l WHERE l.partition = p.partition
                AND (l.lost IS NULL OR l.restored_at IS NULL) LIMIT 1) lost ON true
            WHERE s.sale = ? LIMIT 1""");
    private static final Sql IS_BEHIND = Sql.named("is-sale-behind", """
            SELECT 1 FROM sales s, unnest(s.partitions) AS p (partition)
            JOIN partitions b ON b.partition = p.partition AND b.behind_since IS NOT NULL
            WHERE s.sale = ? LIMIT 1""");
    private static final Sql LIST = Sql.named("list-returns", "SELECT " + ReturnView.COLUMNS
            + " FROM returns WHERE sale = ? AND state = ? ORDER BY created_at DESC LIMIT ?");
    /** A bitmap scan would read and sort everything that was returned. */
    private static final Sql LIST_RETURNED = Sql.named("list-returned",
            "SET LOCAL enable_bitmapscan = off", """
            SELECT o.sale, o.user_id, o.id, o.key, 'returned', '', 0, s.at, NULL::timestamptz, s.at
            FROM (SELECT order_id, at FROM steps WHERE month = ? AND sale = ?
                    AND kind = 'returned' ORDER BY at DESC LIMIT ?) s
            JOIN LATERAL (SELECT * FROM orders WHERE month = ? AND id = s.order_id) o ON true
            ORDER BY s.at DESC""");

    private ReturnRows() {
    }

    /** The caller of a return, and the sale with the month of its orders. */
    record Request(String sale, int month, Caller caller, Actor actor) {
    }

    /**
     * Whether a sale is being retired, or was, so that Redis accepts nothing more for it and no
     * order is still on its way to the ledger. A ledger that lost commits and still has this one
     * has those of all orders of the sale, which were earlier.
     */
    static boolean isRetired(Connection connection, String sale) throws SQLException {
        return IS_RETIRED.exists(connection, sale);
    }

    /**
     * Share-locks the row of a retired sale until the transaction ends, so that its month cannot be
     * archived meanwhile. Waits for an archive run that is beginning, up to the lock timeout.
     * Leaves any other sale unlocked: returns of a running sale must not contend for its row.
     *
     * @return false if the month is archived or being archived
     */
    static boolean lockUnlessArchived(Connection connection, String sale) throws SQLException {
        return !"archived".equals(
                LOCK_RETIRED.first(connection, row -> row.getString(1), sale));
    }

    /** The completed return of an order. */
    static ReturnView of(Connection connection, Order order) throws SQLException {
        return ReturnView.of(order, RETURNED_AT.one(connection, row -> row.getTimestamp(1),
                order.month(), order.id(), order.step()));
    }

    /** The return that waits for an order, or ended as void; or null. */
    static @Nullable ReturnView ofOrder(Connection connection, String sale, UUID order)
            throws SQLException {
        return OF_ORDER.first(connection, ReturnView::of, sale, order);
    }

    /** The return that waits for an order under a key, or ended as void; or null. */
    static @Nullable ReturnView ofKey(Connection connection, String sale, String user,
            String key) throws SQLException {
        return OF_KEY.first(connection, ReturnView::of, sale, user, key);
    }

    /**
     * Parks the return of an order, unless one is already parked.
     *
     * @param user the owner of the order, or the caller if no store has it
     */
    static void parkOrder(Connection connection, LedgerState ledgerState, Request request,
            UUID order, String user, String reason) throws SQLException {
        if (PARK_ORDER.update(connection, request.sale(), user, order, reason,
                request.actor().text(), request.actor().cause(),
                request.caller().actsForAnyone()) == 1) {
            audit(connection, ledgerState, request, request.sale() + "/" + order);
        }
    }

    /** A buyer's own return is not audited, because it is not listed and would name the buyer. */
    private static void audit(Connection connection, LedgerState ledgerState, Request request,
            String subject) throws SQLException {
        if (!request.actor().isBuyer()) {
            AuditRows.insert(connection, ledgerState, UUID.randomUUID(), request.actor(),
                    "return.parked", subject, null, "parked", request.actor().cause());
        }
    }

    /**
     * Parks the return of an order that no store has, unless this caller or this sale has too many
     * of these. The sale's limit keeps a crowd of accounts from filling the table; nobody has
     * units under such an id.
     *
     * @return the refusal; null if the return is parked
     */
    static @Nullable Problem parkUnknown(Connection connection, LedgerState ledgerState,
            Request request, UUID order, String reason) throws SQLException {
        String sale = request.sale();
        String user = request.caller().user();
        lock(connection, sale, user);
        if (ofOrder(connection, sale, order) != null) {
            return null;
        }
        int reached = COUNT_UNKNOWN.one(connection, row -> row.getInt(2) >= UNSEEN_MAX
                ? UNSEEN_MAX : row.getInt(1) >= UNKNOWN_MAX ? UNKNOWN_MAX : 0,
                user, sale, UNKNOWN_MAX);
        if (reached > 0) {
            return tooMany(reached);
        }
        parkOrder(connection, ledgerState, request, order, user, reason);
        return null;
    }

    /** The refusal of one more return of an unknown order. */
    static Problem tooMany(int limit) {
        return Problem.of(OutcomeCode.LIMIT_REACHED, "At most " + limit
                + (limit == UNSEEN_MAX ? " returns of unknown orders per user and sale."
                : " returns of unknown orders per sale."),
                Map.of("limit", limit, "taken", limit));
    }

    /** Serializes transactions that count and add to a user's parked returns of a sale. */
    private static void lock(Connection connection, String sale, String user)
            throws SQLException {
        LOCK.call(connection, sale + " " + user);
    }

    /**
     * Whether returns by key can be parked until the transaction ends; they cannot while a rebuild
     * of the sale reads them. So a rebuild either finds the return and refuses its key, or has
     * restored the sale before the return is parked, so that Redis can refuse the key.
     */
    static boolean holdParking(Connection connection, String sale) throws SQLException {
        return HOLD_PARKING.one(connection, row -> row.getBoolean(1), sale);
    }

    /** Parks a return by key, unless the user has too many. Returns whether it is parked. */
    static boolean parkKey(Connection connection, LedgerState ledgerState, Request request,
            String key, String reason) throws SQLException {
        String sale = request.sale();
        String user = request.caller().user();
        lock(connection, sale, user);
        if (ofKey(connection, sale, user, key) != null) {
            return true;
        }
        boolean parked = PARK_KEY.update(connection, sale, user, key, reason,
                request.actor().text(), request.actor().cause(), sale, user, UNSEEN_MAX) == 1;
        if (parked) {
            audit(connection, ledgerState, request, sale);
        }
        return parked;
    }

    /** Removes the parked return of an order that is now returned. */
    static void drop(Connection connection, Order order) throws SQLException {
        DROP_OF_ORDER.update(connection, order.sale(), order.id());
        DROP_OF_KEY.update(connection, order.sale(), order.user(),
                order.key() == null ? order.id().toString() : order.key());
    }

    /** The owner of an order that could not be stored yet, or null. */
    static @Nullable String failedOrderOf(Connection connection, String sale, UUID order)
            throws SQLException {
        return FAILED_ORDER.first(connection, row -> row.getString(1), order, sale);
    }

    /** Whether an order under this key could not be stored yet. */
    static boolean isFailed(Connection connection, String sale, String user, String key)
            throws SQLException {
        return FAILED_KEY.exists(connection, sale, user, key);
    }

    /**
     * Whether Redis is known to have lost orders of the sale's partitions since the sale was
     * prepared.
     */
    static boolean hasLost(Connection connection, String sale) throws SQLException {
        return HAS_LOST.exists(connection, sale);
    }

    /** Whether a loss in the sale's partitions is not yet repaired. */
    static boolean isLosing(Connection connection, String sale) throws SQLException {
        return IS_LOSING.exists(connection, sale) || isBehind(connection, sale);
    }

    /** Whether the ledger may have lost orders of the sale that Redis still has. */
    static boolean isBehind(Connection connection, String sale) throws SQLException {
        return IS_BEHIND.exists(connection, sale);
    }

    /** Returns of a sale, newest first. */
    static List<ReturnView> list(Connection connection, int month, String sale, String state,
            int max) throws SQLException {
        return state.equals(ReturnView.RETURNED)
                ? LIST_RETURNED.list(connection, ReturnView::of, month, sale, max, month)
                : LIST.list(connection, ReturnView::of, sale, state, max);
    }
}
