package dev.rush.ledger;

import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/** Units owed to Redis, a small working set. */
public final class OwedCredits {

    /** The columns that {@link #of} reads, in its order. */
    static final String COLUMNS =
            "order_id, month, step, expired, actor, sale, user_id, lines, partition";

    private static final Sql OWE = Sql.named("owe-credit", "INSERT INTO credits (" + COLUMNS
            + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    private static final Sql DUE = Sql.named("credits-due", "SELECT " + COLUMNS + """
             FROM unnest(?::integer[]) AS p (of_partition)
            JOIN LATERAL (SELECT * FROM credits c WHERE c.partition = p.of_partition
                AND c.since < now() - interval '1 second' ORDER BY c.since LIMIT ?) c ON true
            WHERE EXISTS (SELECT FROM partitions s
                WHERE s.partition = p.of_partition AND s.behind_since IS NULL)
            ORDER BY since""");
    private static final Sql POSTPONE = Sql.named("credits-later", """
            WITH mine AS MATERIALIZED (
                SELECT c.month, c.order_id
                FROM unnest(?::integer[], ?::uuid[]) AS given (month, order_id)
                JOIN LATERAL (SELECT c.month, c.order_id FROM credits c
                    WHERE c.month = given.month AND c.order_id = given.order_id
                    FOR NO KEY UPDATE SKIP LOCKED) c ON true)
            UPDATE credits c SET since = now() FROM mine
            WHERE c.month = mine.month AND c.order_id = mine.order_id""");

    private OwedCredits() {
    }

    static void owe(Connection connection, OwedCredit credit) throws SQLException {
        OWE.update(connection, credit.order(), credit.month(), credit.step(), credit.expired(),
                credit.actor(), credit.sale(), credit.user(), credit.lines(), credit.partition());
    }

    /**
     * Credits that are at least a second old, oldest first; newer ones are being credited by the
     * call that ended the order. Empty while the ledger may be behind Redis.
     *
     * @param max maximum number per partition
     */
    public static List<OwedCredit> due(Connection connection, LedgerState ledgerState,
            Collection<Integer> partitions, int max) throws SQLException {
        return !ledgerState.checked() ? List.of() : DUE.list(connection,
                row -> of(row, ledgerState), SqlArray.integers(partitions), max);
    }

    /** Moves credits that Redis cannot take now behind all others of their partition. */
    public static void postpone(Connection connection, Collection<OwedCredit> credits)
            throws SQLException {
        POSTPONE.update(connection, months(credits), ids(credits));
    }

    static SqlArray months(Collection<OwedCredit> credits) {
        return SqlArray.integers(credits.stream().map(OwedCredit::month).toList());
    }

    static SqlArray ids(Collection<OwedCredit> credits) {
        return SqlArray.ids(credits.stream().map(OwedCredit::order).toList());
    }

    static OwedCredit of(ResultSet row, LedgerState ledgerState) throws SQLException {
        return new OwedCredit(row.getObject(1, UUID.class), row.getInt(2), row.getInt(3),
                row.getBoolean(4), row.getString(5), row.getString(6), row.getString(7),
                row.getString(8), row.getInt(9), ledgerState.checkedEpoch());
    }
}
