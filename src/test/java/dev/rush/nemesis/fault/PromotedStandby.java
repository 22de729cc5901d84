package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import java.util.List;
import java.util.Random;

/** PostgreSQL fails over to an asynchronous standby that lacks the last commits. */
final class PromotedStandby extends Fault {
    private static final int LAG_MS = 600;

    PromotedStandby() {
        super("promoted-standby", Group.LEDGER, Effect.LOSES_COMMITS);
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        int lag = random.nextInt(LAG_MS);
        return new Injection(lag + " ms behind", List.of(), topology::replaceStandby)
                .by(() -> topology.failLedgerOver(lag));
    }
}
