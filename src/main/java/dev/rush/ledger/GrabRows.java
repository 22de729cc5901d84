package dev.rush.ledger;

import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** Reads grabs, in the caller's transaction. */
public final class GrabRows {

    private static final Sql OF_USER = Sql.named("grabs-of-taker", """
            SELECT id FROM grabs WHERE month = ? AND rain = ? AND user_id = ?""");
    private static final Sql REJECTED_OF_USER = Sql.named("rejected-grabs-of-taker", """
            SELECT id FROM rejected_grabs WHERE month = ? AND rain = ? AND user_id = ?""");

    private GrabRows() {
    }

    /** A user's grabs from a rain of a month: whether each was rejected. */
    public static Map<UUID, Boolean> ofUser(Connection connection, int month, String rain,
            String user) throws SQLException {
        Map<UUID, Boolean> rejected = new HashMap<>();
        OF_USER.each(connection, row -> rejected.put(row.getObject(1, UUID.class), false),
                month, rain, user);
        REJECTED_OF_USER.each(connection, row -> rejected.put(row.getObject(1, UUID.class), true),
                month, rain, user);
        return rejected;
    }
}
