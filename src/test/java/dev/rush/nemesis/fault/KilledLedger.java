package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import java.util.List;
import java.util.Random;

/** PostgreSQL stops without a checkpoint, as in a crash, and restarts. */
final class KilledLedger extends Fault {

    KilledLedger() {
        super("killed-ledger", Group.LEDGER);
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        return new Injection("PostgreSQL", List.of(), () -> topology.ledger().restart())
                .by(() -> topology.ledger().stopImmediately());
    }
}
