package dev.rush.nemesis.fault;

import dev.rush.nemesis.Shim;
import dev.rush.nemesis.Topology;
import dev.rush.testing.RedisNode;
import java.util.List;
import java.util.Random;

/**
 * Every sync to a master's disk fails (EIO), so it refuses writes. Redis keeps refusing them when
 * the disk works again, because it syncs only after a write; an operator has to turn the
 * append-only file off and on.
 */
final class BrokenDisk extends Fault {

    BrokenDisk() {
        super("broken-disk", Group.CALLS, Effect.STOPS_NODES);
    }

    @Override
    public String unavailableReason() {
        return Shim.available() ? Nodes.aofRepairUnavailableReason()
                : "no C compiler (Debian: g++)";
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        RedisNode master = Nodes.master(topology, random);
        return new Injection(master.toString(), List.of(), () -> heal(topology, master),
                () -> restartAof(master)).by(() -> topology.shimOf(master).failSyncs(true));
    }

    /** Ends the refusal at once if the node answers, because replication waits for writes. */
    private static void heal(Topology topology, RedisNode master) {
        topology.shimOf(master).failSyncs(false);
        try {
            restartAof(master);
        } catch (RuntimeException | AssertionError e) {
            System.out.println(master + " is healed later: " + e.getMessage());
        }
    }

    private static void restartAof(RedisNode master) {
        if (master.server().alive()) {
            master.command("CONFIG", "SET", "appendonly", "no");
            master.command("CONFIG", "SET", "appendonly", "yes");
        }
    }
}
