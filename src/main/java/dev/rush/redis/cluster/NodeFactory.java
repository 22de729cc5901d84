package dev.rush.redis.cluster;

import dev.rush.RushConfig;
import dev.rush.redis.Script;
import io.vertx.core.impl.ContextInternal;
import java.util.List;

/** Creates connections of event loops to single nodes, not yet open. Thread-safe. */
final class NodeFactory {

    private final Connector connector;
    private final List<Script> scripts;
    private final Replication replication;
    private final SlotMap slots;
    private final long connectMs;
    private final int callsMax;

    NodeFactory(Connector connector, List<Script> scripts, Replication replication, SlotMap slots,
            RushConfig config) {
        this.connector = connector;
        this.scripts = scripts;
        this.replication = replication;
        this.slots = slots;
        this.connectMs = config.redis().connect().toMillis();
        this.callsMax = config.redis().calls();
    }

    /** A connection for calls that end with their reply. */
    Node node(Endpoint endpoint, ContextInternal context) {
        return new Node(endpoint, context, connector, scripts, connectMs, callsMax);
    }

    /**
     * A connection for calls that wait for replicas.
     *
     * @param stuckNanos after which a connection without any reply is closed; longer than any WAIT
     */
    Node replicatedNode(Endpoint endpoint, ContextInternal context, long stuckNanos) {
        return new ReplicatedNode(endpoint, context, connector, scripts, connectMs, callsMax,
                new ReplicatedNode.Waits(replication,
                        () -> replication.required(slots.topology(), endpoint), stuckNanos));
    }
}
