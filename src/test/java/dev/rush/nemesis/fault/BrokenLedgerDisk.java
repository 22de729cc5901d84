package dev.rush.nemesis.fault;

import dev.rush.nemesis.Shim;
import dev.rush.nemesis.Topology;
import java.util.List;
import java.util.Random;

/** Some of what PostgreSQL writes fails (EIO): it panics, recovers, and panics again. */
final class BrokenLedgerDisk extends Fault {

    BrokenLedgerDisk() {
        super("broken-ledger-disk", Group.LEDGER);
    }

    @Override
    public String unavailable() {
        return Shim.available() ? null : "no C compiler (Debian: g++)";
    }

    @Override
    public Injury begin(Topology topology, Random random) {
        topology.ledgerShim().failWrites(true);
        return new Injury("PostgreSQL", List.of(), () -> {
            topology.ledgerShim().failWrites(false);
            topology.awaitLedger();
        });
    }
}
