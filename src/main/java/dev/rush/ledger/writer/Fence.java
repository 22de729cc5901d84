package dev.rush.ledger.writer;

import dev.rush.ledger.Deferral;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.LedgerState;
import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A transaction's fence on its partition: until it ends, only the holder of the lease stores
 * anything of the partition.
 *
 * @param token      of the lease
 * @param seq        the highest number that was stored before
 * @param behind     whether Redis may have what this ledger lost, in which case nothing is refused
 * @param defers     whether new orders and grabs wait ({@link Deferral})
 * @param firstBlock the first of the ids that the transaction has for its blocks in the journal
 * @param now        PostgreSQL's time when the transaction began, in milliseconds
 */
record Fence(LedgerState ledgerState, int partition, long token, long seq, boolean behind,
        boolean defers, long firstBlock, long now) {

    /**
     * If it waits for the row, it then sees the row's new state, but other rows, and what defers
     * there, as they were before. So the row's own former state counts too.
     */
    private static final Sql TAKE = Sql.named("fence-partition", """
            WITH before AS (SELECT p.partition, p.seq, %s AS waits,
                    (SELECT q.behind_since = 'infinity' FROM partitions q
                        WHERE q.partition = p.partition) AS was_unchecked
                FROM partitions p WHERE p.partition = ? AND p.token = ? FOR NO KEY UPDATE)
            UPDATE partitions p
            SET seq = CASE WHEN before.waits THEN p.seq ELSE GREATEST(p.seq, ?) END FROM before
            WHERE p.partition = before.partition
            RETURNING before.seq, p.behind_since IS NOT NULL, before.waits, nextval('block_ids'),
                (extract(epoch FROM now()) * 1000)::bigint,
                COALESCE(p.behind_since = 'infinity' OR before.was_unchecked, false)""".formatted(
                    Deferral.WAITS));

    /** Another writer has taken the partition. Nothing was stored. */
    static final class Fenced extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Fenced() {
            super("another writer has the partition", null, false, false);
        }
    }

    /**
     * Takes the fence, and records the highest number that will be stored, unless new orders and
     * grabs are deferred.
     *
     * @throws Fenced if the token is no longer the partition's
     * @throws LedgerFailure an outage, until this PostgreSQL process is compared with the
     *                       partition's Redis: storing before that would hide missing orders,
     *                       because both would then have a higher number than the lost ones
     */
    static Fence take(Connection connection, LedgerState ledgerState, int partition, long token,
            long seq) throws SQLException {
        if (!ledgerState.checked()) {
            throw LedgerFailure.unchecked();
        }
        boolean[] isUnchecked = new boolean[1];
        Fence fence = TAKE.first(connection, row -> {
            isUnchecked[0] = row.getBoolean(6);
            return new Fence(ledgerState, partition, token, row.getLong(1), row.getBoolean(2),
                    row.getBoolean(3), row.getLong(4), row.getLong(5));
        }, partition, token, seq);
        if (fence == null) {
            throw new Fenced();
        }
        if (isUnchecked[0]) {
            throw LedgerFailure.unchecked();
        }
        return fence;
    }
}
