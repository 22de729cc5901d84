package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import dev.rush.testing.FaultyProxy;
import dev.rush.testing.RedisNode;
import java.util.List;
import java.util.Random;

/** Each connection to a master breaks when it replies, after the commands have run. */
final class CutReplies extends Fault {

    CutReplies() {
        super("cut-replies", Group.CALLS);
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        RedisNode master = Nodes.master(topology, random);
        FaultyProxy proxy = topology.proxyOf(master);
        proxy.mode(FaultyProxy.Mode.CUT_AFTER_FORWARD);
        return new Injection(master.toString(), List.of(),
                () -> proxy.mode(FaultyProxy.Mode.PASS));
    }
}
