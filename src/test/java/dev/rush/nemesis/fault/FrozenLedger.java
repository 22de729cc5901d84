package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import java.util.List;
import java.util.Random;

/** PostgreSQL with all of its connections is paused (SIGSTOP) and goes on. */
final class FrozenLedger extends Fault {

    FrozenLedger() {
        super("frozen-ledger", Group.LEDGER);
    }

    @Override
    public Injury begin(Topology topology, Random random) {
        topology.ledger().pause();
        return new Injury("PostgreSQL", List.of(), () -> topology.ledger().resume());
    }
}
