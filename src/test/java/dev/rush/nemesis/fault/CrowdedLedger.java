package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** PostgreSQL has no connection left, and those of the pods are ended. */
final class CrowdedLedger extends Fault {
    private static final int CONNECTIONS_MAX = 400;

    CrowdedLedger() {
        super("crowded-ledger", Group.LEDGER);
    }

    @Override
    public Injury begin(Topology topology, Random random) throws SQLException {
        List<Connection> crowd = new ArrayList<>();
        crowd.add(topology.sql());
        boolean ended = false;
        while (crowd.size() < CONNECTIONS_MAX) {
            try {
                crowd.add(topology.sql());
            } catch (SQLException full) {
                if (ended) {
                    break;
                }
                ended = true;
                try (Statement end = crowd.get(0).createStatement()) {
                    end.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                            + "application_name = 'rush' AND pid <> pg_backend_pid()");
                }
            }
        }
        return new Injury(crowd.size() + " connections", List.of(), () -> {
            for (Connection connection : crowd) {
                connection.close();
            }
        });
    }
}
