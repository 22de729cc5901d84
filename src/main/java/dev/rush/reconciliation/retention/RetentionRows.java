package dev.rush.reconciliation.retention;

import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The retirement state of sales and rains in the ledger. */
final class RetentionRows {

    /**
     * Time until every pod has read that the sale is retiring, so that its absence in Redis is not
     * treated as a loss.
     */
    private static final long KNOWN_MS = 3_000;
    private static final String IS_OVER = """
            WHERE it.state = 'loaded'
                AND LEAST(NULLIF(it.closed_at_ms, 0), NULLIF(it.ends_at_ms, 0))
                    < (extract(epoch FROM now()) * 1000)::bigint - ?
                AND NOT EXISTS (SELECT FROM retries r WHERE r.subject = %s
                    AND r.state <> 'replayed' OFFSET 0)
                AND NOT EXISTS (SELECT FROM losses l WHERE l.partition = ANY (%s)
                    AND (l.lost IS NULL OR l.restored_at IS NULL) OFFSET 0)
            """;
    /** Random, so that those that fail each time do not block others. */
    private static final String SOME = " ORDER BY random() LIMIT 100";
    /** OFFSET forces an index lookup for each, instead of a join with all rows. */
    private static final Sql RETIRABLE_SALES = Sql.named("retirable-sales",
            "SELECT it.sale FROM sales it " + IS_OVER.formatted("it.sale", "it.partitions") + """
                AND NOT EXISTS (SELECT FROM sums s WHERE s.sale = it.sale GROUP BY partition, sku
                    HAVING sum(reserved) <> 0 OR sum(expired + returned) <> sum(credited))
                AND NOT EXISTS (SELECT FROM returns r WHERE r.sale = it.sale
                    AND r.state IN ('parked', 'alarmed') OFFSET 0)""" + SOME);
    private static final Sql RETIRABLE_RAINS = Sql.named("retirable-rains",
            "SELECT it.rain FROM rains it "
            + IS_OVER.formatted("it.rain", "ARRAY[it.partition]") + SOME);
    private static final String NOTED = " WHERE state = 'retiring'"
            + " AND retired_at < now() - ? * interval '1 ms'" + SOME;
    private static final Sql NOTED_SALES =
            Sql.named("noted-sales", "SELECT sale FROM sales" + NOTED);
    private static final Sql NOTED_RAINS =
            Sql.named("noted-rains", "SELECT rain FROM rains" + NOTED);
    private static final String BEGIN = " SET state = 'retiring', retired_at = now(),"
            + " prepared_at_ms = COALESCE(?,"
            + " floor(extract(epoch FROM prepared_at) * 1000)::bigint),"
            + " changed = pg_current_xact_id() WHERE state = 'loaded' AND ";
    private static final Sql BEGIN_SALE =
            Sql.named("begin-retiring-sale", "UPDATE sales" + BEGIN + "sale = ?");
    private static final Sql BEGIN_RAIN =
            Sql.named("begin-retiring-rain", "UPDATE rains" + BEGIN + "rain = ?");
    private static final String END = " SET state = CASE WHEN ? THEN 'retired' ELSE 'loaded' END,"
            + " retired_at = CASE WHEN ? THEN now() END, changed = pg_current_xact_id()"
            + " WHERE state = 'retiring' AND ";
    private static final Sql END_SALE =
            Sql.named("end-retiring-sale", "UPDATE sales" + END + "sale = ?");
    private static final Sql END_RAIN =
            Sql.named("end-retiring-rain", "UPDATE rains" + END + "rain = ?");
    private static final Sql FORGET_REPLAYED = Sql.named("forget-replayed", """
            DELETE FROM retries WHERE state = 'replayed'
                AND replayed_at < now() - interval '30 days'""");

    private RetentionRows() {
    }

    /** The kinds of subjects. */
    enum Kind {
        SALE("sale"), RAIN("rain");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /**
     * Sales or rains that have been over for a given time and have nothing open in the ledger:
     * nothing reserved, owed, parked, failed or lost.
     */
    static List<String> retirable(Connection connection, Kind kind, long ms)
            throws SQLException {
        return (kind == Kind.SALE ? RETIRABLE_SALES : RETIRABLE_RAINS).list(connection,
                row -> row.getString(1), ms);
    }

    /** Sales or rains that every pod knows to be retiring. */
    static List<String> retiring(Connection connection, Kind kind) throws SQLException {
        return (kind == Kind.SALE ? NOTED_SALES : NOTED_RAINS).list(connection,
                row -> row.getString(1), KNOWN_MS);
    }

    /**
     * Records that its keys will be removed from Redis.
     *
     * @param preparedAtMs by which Redis lists it; null if Redis does not list it, which leaves the
     *                     time of PostgreSQL
     */
    static boolean begin(Connection connection, Kind kind, String id,
            @Nullable Long preparedAtMs) throws SQLException {
        return (kind == Kind.SALE ? BEGIN_SALE : BEGIN_RAIN)
                .update(connection, preparedAtMs, id) == 1;
    }

    /** Records whether they were removed; otherwise the sale or rain stays loaded. */
    static boolean end(Connection connection, Kind kind, String id, boolean done)
            throws SQLException {
        return (kind == Kind.SALE ? END_SALE : END_RAIN).update(connection, done, done, id) == 1;
    }

    /** Deletes failed orders that were replayed long ago. */
    static void forgetReplayed(Connection connection) throws SQLException {
        FORGET_REPLAYED.update(connection);
    }
}
