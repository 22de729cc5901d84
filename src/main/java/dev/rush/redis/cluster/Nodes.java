package dev.rush.redis.cluster;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** One event loop's connections of one kind, at most one per node, created when first needed. */
final class Nodes {

    private final Map<Endpoint, Node> nodes = new HashMap<>();
    private final Function<Endpoint, Node> make;

    Nodes(Function<Endpoint, Node> make) {
        this.make = make;
    }

    Node get(Endpoint endpoint) {
        Node node = nodes.get(endpoint);
        if (node == null) {
            node = make.apply(endpoint);
            nodes.put(endpoint, node);
        }
        return node;
    }

    /** Whether calls to this node need not wait for a connection. */
    boolean isConnected(Endpoint endpoint) {
        Node node = nodes.get(endpoint);
        return node != null && node.isConnected();
    }

    /**
     * Reroutes calls that wait for a former master, and closes connections that are no longer
     * needed.
     */
    void adopt(Set<Endpoint> masters, Set<Endpoint> kept) {
        for (Node node : List.copyOf(nodes.values())) {
            if (!masters.contains(node.endpoint())) {
                node.giveUpConnecting("no longer a master");
                node.endCheckIns();
            }
            if (!kept.contains(node.endpoint()) && !node.isBusy()) {
                nodes.remove(node.endpoint());
                node.close();
            }
        }
    }

    /**
     * Closes connections without any reply for a given time.
     *
     * @param dropped receives each of them
     * @return whether calls wait for replies
     */
    boolean sweep(long stuckNanos, Runnable dropped) {
        boolean busy = false;
        for (Node node : List.copyOf(nodes.values())) {
            if (node.isStuck(stuckNanos)) {
                node.drop("no reply within the deadline");
                dropped.run();
            }
            busy |= node.isBusy();
        }
        return busy;
    }
}
