package dev.rush.ledger;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * What happens to orders after they were stored, each within the caller's transaction, which reads
 * the order first and writes nothing before. Of two steps that follow the same one, one is taken;
 * the other's transaction fails with SQLSTATE 40001, and {@link Ledger} does its work again, from
 * the order's reading on.
 */
public final class Steps {

    private Steps() {
    }

    /** Confirms a reserved order, a held one too. */
    public static void confirm(Connection connection, Standing standing, Order order,
            Actor actor, Payment payment) throws SQLException {
        throw new UnsupportedOperationException();
    }

    /**
     * Returns a reserved or confirmed order: its units are free in the ledger and owed to Redis.
     *
     * @param cause why, in the words of whoever did it; or null
     */
    public static OwedCredit giveBack(Connection connection, Standing standing, Order order,
            Actor actor, String cause) throws SQLException {
        throw new UnsupportedOperationException();
    }

    /**
     * Ends reservations of a partition that were to be paid by now, by Redis's clock and by
     * PostgreSQL's. Those of a partition that is behind Redis stay, and those that are on hold.
     *
     * @param redisMs the time by the partition's Redis
     * @param most    at most so many
     */
    public static List<OwedCredit> expire(Connection connection, Standing standing, int partition,
            long redisMs, int most) throws SQLException {
        throw new UnsupportedOperationException();
    }

    /**
     * Notes that units are back in Redis. Those that another transaction is at, or has noted, are
     * passed over.
     *
     * @param words Redis's word for each order, which becomes the step's cause
     */
    public static void credited(Connection connection, Standing standing,
            List<OwedCredit> credits, Map<UUID, String> words) throws SQLException {
        throw new UnsupportedOperationException();
    }
}
