package dev.rush.testing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * The epoch that begins when a writer first compares the ledger with Redis. Readers of events and
 * of the audit enter it only when it is a minute old.
 */
public final class FirstEpoch {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private FirstEpoch() {
    }

    /** Waits until it has begun, and ages it by two minutes. */
    public static void age(String ledgerUrl) {
        Await.until("the ledger has been compared with Redis", LIMIT, () -> {
            try (Connection connection = DriverManager.getConnection(ledgerUrl);
                    Statement statement = connection.createStatement()) {
                return statement.executeUpdate("UPDATE ledger SET checked_at = checked_at"
                        + " - interval '2 minutes' WHERE checked_at IS NOT NULL") == 1;
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
