package dev.rush.nemesis.fault;

import dev.rush.nemesis.Shim;
import dev.rush.nemesis.Topology;
import java.util.List;
import java.util.Random;

/** Some writes of PostgreSQL fail (EIO): it panics, recovers, and panics again. */
final class BrokenLedgerDisk extends Fault {

    BrokenLedgerDisk() {
        super("broken-ledger-disk", Group.LEDGER);
    }

    @Override
    public String unavailableReason() {
        return Shim.available() ? null : "no C compiler (Debian: g++)";
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        return new Injection("PostgreSQL", List.of(), () -> {
            topology.ledgerShim().failWrites(false);
            topology.awaitLedger();
        }).by(() -> topology.ledgerShim().failWrites(true));
    }
}
