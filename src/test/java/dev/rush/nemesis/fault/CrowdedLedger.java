package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Takes all connections of PostgreSQL, including those of the pods. */
final class CrowdedLedger extends Fault {
    private static final int CONNECTIONS_MAX = 400;

    CrowdedLedger() {
        super("crowded-ledger", Group.LEDGER);
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        return inject(topology::sql);
    }

    /** Opens connections of the ledger. */
    @FunctionalInterface
    interface Connector {
        Connection connect() throws SQLException;
    }

    static Injection inject(Connector ledger) {
        List<Connection> crowd = new ArrayList<>();
        return new Injection("all connections", List.of(), () -> {
            for (Connection connection : crowd) {
                connection.close();
            }
        }).by(() -> fill(crowd, ledger));
    }

    private static void fill(List<Connection> crowd, Connector ledger) throws SQLException {
        crowd.add(ledger.connect());
        boolean podsCutOff = false;
        while (crowd.size() < CONNECTIONS_MAX) {
            try {
                crowd.add(ledger.connect());
            } catch (SQLException full) {
                if (podsCutOff) {
                    break;
                }
                podsCutOff = true;
                try (Statement terminate = crowd.get(0).createStatement()) {
                    terminate.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                            + " WHERE application_name = 'rush' AND pid <> pg_backend_pid()");
                }
            }
        }
    }
}
