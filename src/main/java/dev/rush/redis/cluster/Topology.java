package dev.rush.redis.cluster;

import dev.rush.redis.Reply;
import dev.rush.redis.Slots;
import io.vertx.redis.client.Response;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The topology: which master owns which slot. Immutable, replaced as a whole. */
final class Topology {

    private static final String HEALTHY = "cluster_state:ok";
    private static final String EPOCH = "cluster_current_epoch:";

    private final Endpoint[] masters;
    private final Set<Endpoint> nodes;
    private final Map<Endpoint, Integer> replicas;
    private final boolean healthy;
    private final long epoch;
    private final Set<Endpoint> distinct;

    private Topology(Endpoint[] masters, Set<Endpoint> nodes, Map<Endpoint, Integer> replicas,
            boolean healthy, long epoch) {
        this.masters = masters;
        this.nodes = nodes;
        this.replicas = replicas;
        this.healthy = healthy;
        this.epoch = epoch;
        Set<Endpoint> owners = new LinkedHashSet<>();
        Endpoint last = null;
        for (Endpoint master : masters) {
            if (master != null && !master.equals(last)) {
                owners.add(master);
            }
            last = master;
        }
        this.distinct = Collections.unmodifiableSet(owners);
    }

    /** One Redis that owns everything. */
    static Topology single(Endpoint endpoint) {
        Endpoint[] masters = new Endpoint[Slots.COUNT];
        Arrays.fill(masters, endpoint);
        return new Topology(masters, Set.of(endpoint), Map.of(), true, 0);
    }

    /** An unknown topology with only the seed nodes. */
    static Topology unknown(List<Endpoint> seeds) {
        return new Topology(
                new Endpoint[Slots.COUNT], new LinkedHashSet<>(seeds), Map.of(), false, 0);
    }

    /**
     * Parses the reply of CLUSTER SLOTS. Entries without a valid node are skipped.
     *
     * @param info  the reply of CLUSTER INFO, or empty if unknown
     * @param lines the reply of CLUSTER NODES, or empty if unknown
     * @param asked the node that answered, which stands for an unknown host in the answer
     */
    static Topology parse(Response slots, String info, String lines, Endpoint asked) {
        Map<String, Integer> ofMasters = replicas(lines);
        Map<Endpoint, Integer> replicas = new HashMap<>();
        Endpoint[] masters = new Endpoint[Slots.COUNT];
        Set<Endpoint> nodes = new LinkedHashSet<>();
        for (Response range : slots) {
            int from = Math.max(0, range.get(0).toInteger());
            int to = Math.min(Slots.COUNT - 1, range.get(1).toInteger());
            for (int i = 2; i < range.size(); i++) {
                Endpoint endpoint = endpoint(range.get(i), asked);
                if (endpoint == null) {
                    continue;
                }
                nodes.add(endpoint);
                if (i == 2 && from <= to) {
                    Arrays.fill(masters, from, to + 1, endpoint);
                    if (!lines.isEmpty()) {
                        replicas.put(endpoint,
                                ofMasters.getOrDefault(String.valueOf(range.get(i).get(2)), 0));
                    }
                }
            }
        }
        return new Topology(masters, nodes, replicas,
                info.isEmpty() || info.contains(HEALTHY), epoch(info));
    }

    /**
     * The number of replicas of each master, by id. CLUSTER SLOTS leaves out those that have
     * failed, CLUSTER NODES does not: a line is {@code id address flags master …}.
     */
    private static Map<String, Integer> replicas(String lines) {
        Map<String, Integer> replicas = new HashMap<>();
        lines.lines().map(line -> line.split(" ")).forEach(words -> {
            if (words.length > 3 && List.of(words[2].split(",")).contains("slave")) {
                replicas.merge(words[3], 1, Integer::sum);
            }
        });
        return replicas;
    }

    /** The preferred endpoint of the node; if its name is unknown, its address. */
    private static @Nullable Endpoint endpoint(Response node, Endpoint asked) {
        String host = node.get(0) == null ? "" : node.get(0).toString();
        if (Endpoint.isUnknown(host) && node.size() > 3 && node.get(3) != null) {
            String ip = Reply.of(node.get(3)).pairs().get("ip");
            host = ip == null ? host : ip;
        }
        return Endpoint.of(host, node.get(1).toLong(), asked).orElse(null);
    }

    private static long epoch(String info) {
        int at = info.indexOf(EPOCH);
        if (at < 0) {
            return 0;
        }
        int end = at + EPOCH.length();
        long epoch = 0;
        for (; end < info.length() && Character.isDigit(info.charAt(end)); end++) {
            epoch = epoch * 10 + info.charAt(end) - '0';
        }
        return epoch;
    }

    /** The same topology with one slot owned by another node, as in a MOVED reply. */
    Topology moved(int slot, Endpoint endpoint) {
        Endpoint[] changed = masters.clone();
        changed[slot] = endpoint;
        Set<Endpoint> known = new LinkedHashSet<>(nodes);
        known.add(endpoint);
        return new Topology(changed, known, replicas, healthy, epoch);
    }

    /**
     * Whether this topology may replace another one at once: the node that supplied it sees a
     * majority, and has learned of every promotion in the other one. A node that was isolated or
     * frozen supplies outdated topologies for a while.
     */
    boolean isAsGoodAs(Topology known) {
        return healthy && epoch >= known.epoch;
    }

    /** Whether this is the better of two untrusted topologies. */
    boolean isBetterThan(Topology other) {
        return healthy == other.healthy ? epoch > other.epoch : healthy;
    }

    /** The master of a slot, or null if unknown. */
    @Nullable Endpoint master(int slot) {
        return masters[slot];
    }

    /** The number of replicas of a master, including failed ones; −1 if unknown. */
    int replicas(Endpoint master) {
        return replicas.getOrDefault(master, -1);
    }

    /** All masters that own slots. */
    Set<Endpoint> masters() {
        return distinct;
    }

    /** All nodes, including replicas, that can supply a new topology. */
    Set<Endpoint> nodes() {
        return nodes;
    }
}
