package dev.rush.ledger.writer;

import dev.rush.ledger.Standing;
import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A transaction's hold on its partition: none but the holder of the lease stores anything of it
 * until the transaction ends.
 *
 * @param token  of the lease
 * @param seq    the highest number that was stored before
 * @param behind whether Redis may have what this ledger lost, so that nothing is refused
 * @param batch  the transaction's own number
 * @param now    PostgreSQL's milliseconds
 */
record Fence(Standing standing, int partition, long token, long seq, boolean behind, long batch,
        long now) {

    private static final Sql TAKE = Sql.named("fence-partition", """
            WITH before AS (SELECT partition, seq FROM partitions
                WHERE partition = ? AND token = ? FOR NO KEY UPDATE)
            UPDATE partitions p SET seq = GREATEST(p.seq, ?) FROM before
            WHERE p.partition = before.partition
            RETURNING before.seq, p.behind_since IS NOT NULL, nextval('batch_ids'),
                (extract(epoch FROM now()) * 1000)::bigint""");

    /** The partition is another writer's by now. Nothing was stored. */
    static final class Fenced extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Fenced() {
            super("another writer has the partition", null, false, false);
        }
    }

    /**
     * Takes it, and notes the highest number that will be stored.
     *
     * @throws Fenced if the token is not the partition's any more
     */
    static Fence take(Connection connection, Standing standing, int partition, long token,
            long seq) throws SQLException {
        Fence fence = TAKE.first(connection, row -> new Fence(standing, partition, token,
                row.getLong(1), row.getBoolean(2) || !standing.checked(), row.getLong(3),
                row.getLong(4)), partition, token, seq);
        if (fence == null) {
            throw new Fenced();
        }
        return fence;
    }
}
