package dev.rush.reconciliation.retention;

import dev.rush.ledger.sql.MonthTables;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/** Replaces a user with a pseudonym in the ledger's tables. */
final class ErasureRows {

    private static final String BY_MONTH = """
            SELECT month, array_agg(id ORDER BY id) FROM (
                SELECT month, id, row_number() OVER (PARTITION BY month ORDER BY id) / ?::integer
                    AS part FROM (SELECT month, %1$s AS id FROM %2$s
                    WHERE state = 'retired') AS ended) AS parts
            GROUP BY month, part ORDER BY month, part""";
    private static final Sql SALES =
            Sql.named("retired-sales", BY_MONTH.formatted("sale", "sales"));
    private static final Sql RAINS =
            Sql.named("retired-rains", BY_MONTH.formatted("rain", "rains"));
    /** Returns lock their sale too, so none that reads the user can come after the erasure. */
    private static final Sql LOCK = Sql.named("lock-erased-sales",
            "SELECT FROM sales WHERE sale = ANY (?) ORDER BY sale FOR UPDATE");
    /**
     * Actors of steps and their words, found through their orders, and so before those are erased.
     */
    private static final String STEPS = """
            UPDATE steps SET actor = 'buyer:' || ?, cause = NULL
            WHERE month = ? AND actor = 'buyer:' || ?
                AND order_id IN (SELECT id FROM %s WHERE month = ? AND sale = ANY (?)
                    AND user_id = ?)""";
    private static final Sql STEPS_OF_ORDERS =
            Sql.named("erase-steps-of-orders", STEPS.formatted("orders"));
    private static final Sql STEPS_OF_REJECTED =
            Sql.named("erase-steps-of-rejected", STEPS.formatted("rejected"));
    private static final String ORDER = " SET user_id = ?, key = NULL, claim = NULL, digest = '='"
            + " WHERE month = ? AND sale = ANY (?) AND user_id = ?";
    private static final Sql ORDERS = Sql.named("erase-orders", "UPDATE orders" + ORDER);
    private static final Sql REJECTED = Sql.named("erase-rejected", "UPDATE rejected" + ORDER);
    /** A retired sale has only void returns. */
    private static final Sql RETURNS = Sql.named("erase-returns",
            "DELETE FROM returns WHERE sale = ANY (?) AND user_id = ?");
    private static final String GRAB = " SET user_id = ?, key = NULL"
            + " WHERE month = ? AND rain = ANY (?) AND user_id = ?";
    private static final Sql GRABS = Sql.named("erase-grabs", "UPDATE grabs" + GRAB);
    private static final Sql REJECTED_GRABS =
            Sql.named("erase-rejected-grabs", "UPDATE rejected_grabs" + GRAB);
    /** Replayed entries are orders or grabs now; a retired sale has no others. */
    private static final Sql RETRIES = Sql.named("erase-retries", """
            UPDATE retries SET user_id = ?, key = NULL, fields = '{}', reason = ''
            WHERE user_id = ? AND state = 'replayed'""");
    private static final Sql AUDIT = Sql.named("erase-audit", """
            UPDATE audit SET subject = ? WHERE action LIKE 'blocklist.%' AND subject = ?""");
    private static final Sql DELIVERIES = Sql.named("erase-deliveries", """
            UPDATE deliveries
            SET body = jsonb_set(body::jsonb, '{data,user}', to_jsonb(?::text))::text
            WHERE body::jsonb #>> '{data,user}' = ? AND body::jsonb ->> 'source' NOT IN (
                SELECT '/v1/sales/' || sale FROM sales
                WHERE state IN ('preparing', 'loaded', 'retiring')
                UNION ALL SELECT '/v1/rains/' || rain FROM rains
                WHERE state IN ('preparing', 'loaded', 'retiring'))""");
    private static final Sql OPEN_SALES = Sql.named("open-sales-of-user", """
            SELECT s.sale, EXISTS (SELECT FROM orders o WHERE o.month = s.month
                    AND o.sale = s.sale AND o.user_id = ?)
                OR EXISTS (SELECT FROM rejected r WHERE r.month = s.month AND r.sale = s.sale
                    AND r.user_id = ?)
                OR EXISTS (SELECT FROM returns r WHERE r.sale = s.sale AND r.user_id = ?)
                OR EXISTS (SELECT FROM retries r WHERE r.subject = s.sale AND r.user_id = ?
                    AND r.state <> 'replayed')
            FROM sales s WHERE s.state IN ('preparing', 'loaded', 'retiring') ORDER BY 1""");
    private static final Sql OPEN_RAINS = Sql.named("open-rains-of-user", """
            SELECT s.rain, EXISTS (SELECT FROM grabs g WHERE g.month = s.month
                    AND g.rain = s.rain AND g.user_id = ?)
                OR EXISTS (SELECT FROM rejected_grabs r WHERE r.month = s.month
                    AND r.rain = s.rain AND r.user_id = ?)
                OR EXISTS (SELECT FROM retries r WHERE r.subject = s.rain AND r.user_id = ?
                    AND r.state <> 'replayed')
            FROM rains s WHERE s.state IN ('preparing', 'loaded', 'retiring') ORDER BY 1""");

    private static final Sql BEING_ARCHIVED = Sql.named("months-being-archived", """
            SELECT month FROM (SELECT month FROM sales WHERE state = 'archived'
                UNION SELECT month FROM rains WHERE state = 'archived') AS marked
            WHERE to_regclass('public.orders_' || month) IS NOT NULL""");

    private ErasureRows() {
    }

    /** Some retired sales or rains of a month. */
    record Part(int month, List<String> ids) {

        private static Part of(ResultSet row) throws SQLException {
            return new Part(row.getInt(1), List.of((String[]) row.getArray(2).getArray()));
        }
    }

    /** All retired sales, in parts. */
    static List<Part> sales(Connection connection, int max) throws SQLException {
        return SALES.list(connection, Part::of, max);
    }

    /** All retired rains, in parts. */
    static List<Part> rains(Connection connection, int max) throws SQLException {
        return RAINS.list(connection, Part::of, max);
    }

    /** Erases a user in orders of some sales. Returns the number of orders. */
    static int orders(Connection connection, Part part, String user, String pseudonym)
            throws SQLException {
        LOCK.list(connection, row -> true, SqlArray.texts(part.ids));
        for (Sql steps : List.of(STEPS_OF_ORDERS, STEPS_OF_REJECTED)) {
            steps.update(connection, pseudonym, part.month, user, part.month,
                    SqlArray.texts(part.ids), user);
        }
        return ORDERS.update(connection, pseudonym, part.month, SqlArray.texts(part.ids), user)
                + REJECTED.update(connection, pseudonym, part.month,
                        SqlArray.texts(part.ids), user);
    }

    /** Removes a user's returns that ended as void. */
    static int returns(Connection connection, Part part, String user) throws SQLException {
        return RETURNS.update(connection, SqlArray.texts(part.ids), user);
    }

    /** Erases a user in grabs of some rains. */
    static int grabs(Connection connection, Part part, String user, String pseudonym)
            throws SQLException {
        return GRABS.update(connection, pseudonym, part.month, SqlArray.texts(part.ids), user)
                + REJECTED_GRABS.update(connection, pseudonym, part.month,
                        SqlArray.texts(part.ids), user);
    }

    /** Erases a user in entries that failed and were replayed. */
    static int retries(Connection connection, String user, String pseudonym)
            throws SQLException {
        return RETRIES.update(connection, pseudonym, user);
    }

    /** Erases a user in deliveries of webhooks about sales and rains that are retired, or were. */
    static int deliveries(Connection connection, String user, String pseudonym)
            throws SQLException {
        return DELIVERIES.update(connection, pseudonym, user);
    }

    /** Erases a user in audited changes of the blocklist. */
    static int audit(Connection connection, String user, String pseudonym) throws SQLException {
        return AUDIT.update(connection, pseudonym, user);
    }

    /** Adds the sales that are not retired, and whether the ledger has the user there. */
    static void openSales(Connection connection, String user, Map<String, Boolean> open)
            throws SQLException {
        OPEN_SALES.each(connection, row -> open.put(row.getString(1), row.getBoolean(2)),
                user, user, user, user);
    }

    /** Adds the rains that are not retired, and whether the ledger has the user there. */
    static void openRains(Connection connection, String user, Map<String, Boolean> open)
            throws SQLException {
        OPEN_RAINS.each(connection, row -> open.put(row.getString(1), row.getBoolean(2)),
                user, user, user);
    }

    /** The months that are archived, or whose archiving has begun; nothing is erased in them. */
    static SortedSet<Integer> archived(Connection connection) throws SQLException {
        // In this order, because a month may be moved into the archive meanwhile.
        SortedSet<Integer> archived =
                new TreeSet<>(BEING_ARCHIVED.list(connection, row -> row.getInt(1)));
        archived.addAll(MonthTables.archived(connection));
        return archived;
    }
}
