package dev.rush.ledger;

import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Settings of PostgreSQL under which it may lose orders that clients were told of. */
final class LedgerSettings {

    private static final Sql READ = Sql.named("ledger-settings", """
            SELECT current_setting('fsync'), current_setting('full_page_writes'),
                current_setting('synchronous_commit'),
                current_setting('synchronous_standby_names') <> '',
                EXISTS (SELECT FROM pg_stat_replication)""");

    private LedgerSettings() {
    }

    /** What is weak, each with what it may cost; empty where nothing is. */
    static List<String> weak(Connection connection) throws SQLException {
        return READ.one(connection, row -> weak(row.getString(1), row.getString(2),
                row.getString(3), row.getBoolean(4), row.getBoolean(5)));
    }

    /**
     * What is weak.
     *
     * @param waits      whether standbys are named that a commit may wait for
     * @param replicates whether any standby follows
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
