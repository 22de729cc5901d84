package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import java.util.List;
import java.util.Random;

/** PostgreSQL is paused (SIGSTOP) with all its backends, and resumed. */
final class FrozenLedger extends Fault {

    FrozenLedger() {
        super("frozen-ledger", Group.LEDGER);
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        topology.ledger().pause();
        return new Injection("PostgreSQL", List.of(), () -> topology.ledger().resume());
    }
}
