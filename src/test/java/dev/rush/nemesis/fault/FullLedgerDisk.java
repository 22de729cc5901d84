package dev.rush.nemesis.fault;

import dev.rush.nemesis.Disks;
import dev.rush.nemesis.Topology;
import java.util.List;
import java.util.Random;

/** The disk of PostgreSQL is full. */
final class FullLedgerDisk extends Fault {

    FullLedgerDisk() {
        super("full-ledger-disk", Group.LEDGER);
    }

    @Override
    public String unavailableReason() {
        return Disks.available() ? null : "only root can mount a small disk";
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        topology.disks().fill(Topology.LEDGER);
        return new Injection("PostgreSQL", List.of(), () -> {
            topology.disks().removeBallast(Topology.LEDGER);
            topology.awaitLedger();
        });
    }
}
