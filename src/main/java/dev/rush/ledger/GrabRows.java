package dev.rush.ledger;

import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads grabs, in the caller's transaction. */
public final class GrabRows {

    private static final String COLUMNS = "SELECT id, nth, number, amount, granted_at_ms, ";
    private static final String OF_RAIN = " WHERE month = ? AND rain = ? AND user_id = ?";
    private static final Sql OF_USER =
            Sql.named("grabs-of-taker", COLUMNS + "false FROM grabs" + OF_RAIN);
    private static final Sql REJECTED_OF_USER =
            Sql.named("rejected-grabs-of-taker", COLUMNS + "true FROM rejected_grabs" + OF_RAIN);
    private static final Sql BY_KEY =
            Sql.named("grab-of-key", COLUMNS + "false FROM grabs" + OF_RAIN + " AND key = ?");
    private static final Sql WITHOUT_KEY = Sql.named("grab-without-key",
            COLUMNS + "false FROM grabs" + OF_RAIN + " AND id = ? AND key IS NULL");

    private GrabRows() {
    }

    /**
     * A grab in the ledger.
     *
     * @param nth    the index of the grab among the user's grabs from the rain, from 1
     * @param number of the envelope, from 1
     * @param amount in minor units
     * @param atMs   when it was granted, by the clock of Redis
     */
    public record Stored(UUID id, int nth, int number, long amount, long atMs,
            boolean isRejected) {

        private static Stored of(ResultSet row) throws SQLException {
            return new Stored(row.getObject(1, UUID.class), row.getInt(2), row.getInt(3),
                    row.getLong(4), row.getLong(5), row.getBoolean(6));
        }
    }

    /** A user's grabs from a rain of a month, including rejected ones, in no order. */
    public static List<Stored> ofUser(Connection connection, int month, String rain, String user)
            throws SQLException {
        List<Stored> grabs =
                new ArrayList<>(OF_USER.list(connection, Stored::of, month, rain, user));
        grabs.addAll(REJECTED_OF_USER.list(connection, Stored::of, month, rain, user));
        return grabs;
    }

    /**
     * A user's grab under a key, unless it was rejected; or null. The key of a grab for which the
     * client sent none is its id.
     */
    public static @Nullable Stored byKey(Connection connection, int month, String rain,
            String user, String key) throws SQLException {
        Stored grab = BY_KEY.first(connection, Stored::of, month, rain, user, key);
        UUID id = grab != null ? null : OrderRows.idIn(key);
        return id == null ? grab
                : WITHOUT_KEY.first(connection, Stored::of, month, rain, user, id);
    }
}
