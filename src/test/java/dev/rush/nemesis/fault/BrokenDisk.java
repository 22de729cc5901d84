package dev.rush.nemesis.fault;

import dev.rush.nemesis.Shim;
import dev.rush.nemesis.Topology;
import dev.rush.testing.RedisNode;
import java.util.List;
import java.util.Random;

/**
 * What a node syncs to its disk fails (EIO), so it refuses writes. Once the disk works again, Redis
 * goes on refusing, as it syncs nothing while nothing is written; an operator has to turn its
 * append-only file off and on.
 */
final class BrokenDisk extends Fault {

    BrokenDisk() {
        super("broken-disk", Group.CALLS, Effect.ENDS);
    }

    @Override
    public String unavailable() {
        return Shim.available() ? Nodes.unrepairable() : "no C compiler (Debian: g++)";
    }

    @Override
    public Injury begin(Topology topology, Random random) {
        RedisNode master = Nodes.master(topology, random);
        topology.shimOf(master).failSyncs(true);
        return new Injury(master.toString(), List.of(), () -> heal(topology, master),
                () -> syncAgain(master));
    }

    /** At once, if the node answers, because its replicas wait until it takes writes again. */
    private static void heal(Topology topology, RedisNode master) {
        topology.shimOf(master).failSyncs(false);
        try {
            syncAgain(master);
        } catch (RuntimeException | AssertionError e) {
            System.out.println(master + " syncs later: " + e.getMessage());
        }
    }

    private static void syncAgain(RedisNode master) {
        if (master.server().alive()) {
            master.command("CONFIG", "SET", "appendonly", "no");
            master.command("CONFIG", "SET", "appendonly", "yes");
        }
    }
}
