package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;

/** Another session locks a table of the ledger. */
final class LockedLedger extends Fault {
    private static final List<String> TABLES = List.of(
            "orders", "items", "leases", "grabs", "steps", "sums", "partitions");

    LockedLedger() {
        super("locked-ledger", Group.LEDGER);
    }

    @Override
    public Injection inject(Topology topology, Random random) throws SQLException {
        String table = TABLES.get(random.nextInt(TABLES.size()));
        Connection holder = topology.sql();
        return new Injection(table, List.of(), holder::close).by(() -> {
            holder.setAutoCommit(false);
            try (Statement lock = holder.createStatement()) {
                lock.execute("LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE");
            }
        });
    }
}
