package dev.rush.ledger;

import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Settings of PostgreSQL with which it may lose orders that were reported to clients. */
final class LedgerSettings {

    private static final Sql READ = Sql.named("ledger-settings", """
            SELECT current_setting('fsync'), current_setting('full_page_writes'),
                current_setting('synchronous_commit'),
                current_setting('synchronous_standby_names') <> '',
                EXISTS (SELECT FROM pg_stat_replication)""");

    private LedgerSettings() {
    }

    /** The weak settings, each with its possible consequence; empty if there are none. */
    static List<String> weak(Connection connection) throws SQLException {
        return READ.one(connection, row -> weak(row.getString(1), row.getString(2),
                row.getString(3), row.getBoolean(4), row.getBoolean(5)));
    }

    /**
     * The weak settings.
     *
     * @param waits      whether commits can wait for standbys
     * @param replicates whether any standby is connected
     */
    static List<String> weak(String fsync, String fullPageWrites, String synchronousCommit,
            boolean waits, boolean replicates) {
        List<String> weak = new ArrayList<>();
        if (fsync.equals("off")) {
            weak.add("fsync=off: a crash of the machine may lose everything");
        }
        if (fullPageWrites.equals("off")) {
            weak.add("full_page_writes=off: a crash of the machine may damage pages");
        }
        if (synchronousCommit.equals("off")) {
            weak.add("synchronous_commit=off: a crash loses the last commits");
        } else if (replicates && (!waits || synchronousCommit.equals("local"))) {
            weak.add("no commit waits for a standby: a failover may lose the last ones");
        }
        return weak;
    }
}
