package dev.rush.nemesis.fault;

import dev.rush.nemesis.Disks;
import dev.rush.nemesis.Topology;
import java.util.List;
import java.util.Random;

/** No room is left on the disk of PostgreSQL. */
final class FullLedgerDisk extends Fault {

    FullLedgerDisk() {
        super("full-ledger-disk", Group.LEDGER);
    }

    @Override
    public String unavailable() {
        return Disks.available() ? null : "only root can mount a disk of its own";
    }

    @Override
    public Injury begin(Topology topology, Random random) {
        topology.disks().fill(Topology.LEDGER);
        return new Injury("PostgreSQL", List.of(), () -> {
            topology.disks().empty(Topology.LEDGER);
            topology.awaitLedger();
        });
    }
}
