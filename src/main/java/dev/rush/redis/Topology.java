package dev.rush.redis;

import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Which master owns which slot: an immutable picture, replaced as a whole.
 */
final class Topology {

    private final String[] masters;
    private final Set<String> nodes;

    private Topology(String[] masters, Set<String> nodes) {
        this.masters = masters;
        this.nodes = nodes;
    }

    /** One Redis that owns everything. */
    static Topology single(String endpoint) {
        String[] masters = new String[Slots.COUNT];
        Arrays.fill(masters, endpoint);
        return new Topology(masters, Set.of(endpoint));
    }

    /** Nothing known but where to ask. */
    static Topology unknown(List<String> seeds) {
        return new Topology(new String[Slots.COUNT], new LinkedHashSet<>(seeds));
    }

    /**
     * What CLUSTER SLOTS answered.
     *
     * @param asked the node that answered, which stands for an empty host in the answer
     */
    static Topology parse(Response slots, String asked) {
        String[] masters = new String[Slots.COUNT];
        Set<String> nodes = new LinkedHashSet<>();
        for (Response range : slots) {
            int from = range.get(0).toInteger();
            int to = range.get(1).toInteger();
            for (int i = 2; i < range.size(); i++) {
                String endpoint = endpoint(range.get(i), asked);
                nodes.add(endpoint);
                if (i == 2) {
                    Arrays.fill(masters, from, to + 1, endpoint);
                }
            }
        }
        return new Topology(masters, nodes);
    }

    private static String endpoint(Response node, String asked) {
        String host = node.get(0) == null ? "" : node.get(0).toString();
        if (host.isEmpty() || host.equals("?")) {
            host = asked.substring(0, asked.lastIndexOf(':'));
        } else if (host.indexOf(':') >= 0) {
            host = "[" + host + "]";
        }
        return host + ":" + node.get(1).toInteger();
    }

    /** The same picture with one slot owned by another node, as MOVED said. */
    Topology moved(int slot, String endpoint) {
        String[] changed = masters.clone();
        changed[slot] = endpoint;
        Set<String> known = new LinkedHashSet<>(nodes);
        known.add(endpoint);
        return new Topology(changed, known);
    }

    /** The master of a slot as {@code host:port}, or null when none is known. */
    String master(int slot) {
        return masters[slot];
    }

    /** All masters that own slots. */
    Set<String> masters() {
        Set<String> distinct = new LinkedHashSet<>(Arrays.asList(masters));
        distinct.remove(null);
        return distinct;
    }

    /** All nodes, replicas too: whoever may be asked for a new picture. */
    List<String> nodes() {
        return new ArrayList<>(nodes);
    }
}
