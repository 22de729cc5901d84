package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import java.util.List;
import java.util.Random;

/** PostgreSQL ends as by a crash, and starts again. */
final class KilledLedger extends Fault {

    KilledLedger() {
        super("killed-ledger", Group.LEDGER);
    }

    @Override
    public Injury begin(Topology topology, Random random) {
        topology.ledger().stopImmediately();
        return new Injury("PostgreSQL", List.of(), () -> topology.ledger().restart());
    }
}
