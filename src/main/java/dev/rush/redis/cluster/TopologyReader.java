package dev.rush.redis.cluster;

import dev.rush.redis.OutcomeClass;
import dev.rush.redis.RedisFailure;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the topology from nodes until one supplies a trustworthy one. A node that hangs delays this
 * only briefly, because the next one is queried in parallel. A read ends within a second, whatever
 * the nodes do. Confined to one event loop.
 */
final class TopologyReader {

    private static final long NEXT_MS = 100;
    private static final long LIMIT_MS = 1000;

    private final EventLoopClient loop;
    private final List<Endpoint> seeds;

    TopologyReader(EventLoopClient loop, List<Endpoint> seeds) {
        this.loop = loop;
        this.seeds = seeds;
    }

    /**
     * Reads a topology.
     *
     * @param known the current one; an older one is used only if no node has a newer one
     */
    Future<Topology> read(Topology known) {
        Reading reading = new Reading(known, candidates(known).iterator());
        reading.start();
        return reading.promise.future();
    }

    /** Nodes that are connected first, all others in random order, then the configured hosts. */
    private Set<Endpoint> candidates(Topology known) {
        List<Endpoint> nodes = new ArrayList<>(known.nodes());
        Collections.shuffle(nodes);
        nodes.sort(Comparator.comparing(endpoint -> !loop.isConnected(endpoint)));
        Set<Endpoint> candidates = new LinkedHashSet<>(nodes);
        candidates.addAll(seeds);
        return candidates;
    }

    private final class Reading {
        private final Topology known;
        private final Iterator<Endpoint> candidates;
        private final Promise<Topology> promise = loop.context().promise();
        private int asked;
        private @Nullable Topology doubtful;
        private String cause = "no node of the cluster answers";

        Reading(Topology known, Iterator<Endpoint> candidates) {
            this.known = known;
            this.candidates = candidates;
        }

        void start() {
            long timer = loop.context().setTimer(LIMIT_MS, late -> end());
            promise.future().onComplete(done -> loop.context().owner().cancelTimer(timer));
            next();
        }

        private void next() {
            if (promise.future().isComplete()) {
                return;
            }
            if (!candidates.hasNext()) {
                if (asked == 0) {
                    end();
                }
                return;
            }
            Endpoint endpoint = candidates.next();
            asked++;
            loop.context().setTimer(NEXT_MS, late -> next());
            query(endpoint).onComplete(result -> {
                asked--;
                if (result.failed()) {
                    cause = Causes.of(result.cause());
                } else if (result.result().isAsGoodAs(known)) {
                    promise.tryComplete(result.result());
                } else if (doubtful == null || result.result().isBetterThan(doubtful)) {
                    doubtful = result.result();
                }
                next();
            });
        }

        private void end() {
            if (doubtful != null) {
                promise.tryComplete(doubtful);
            } else {
                promise.tryFail(new RedisFailure(OutcomeClass.NOTHING_HAPPENED, cause));
            }
        }
    }

    private Future<Topology> query(Endpoint endpoint) {
        Future<Response> slots = loop.executeOn(endpoint, Command.CLUSTER, "SLOTS");
        // Without the ACL rights for these commands, every topology is trusted, and calls cannot
        // wait for all replicas.
        Future<String> info = loop.executeOn(endpoint, Command.CLUSTER, "INFO")
                .map(Response::toString).otherwise("");
        Future<String> nodes = loop.executeOn(endpoint, Command.CLUSTER, "NODES")
                .map(Response::toString).otherwise("");
        return slots.compose(answer -> info.compose(text -> nodes.map(lines -> {
            Topology read = Topology.parse(answer, text, lines, endpoint);
            if (read.masters().isEmpty()) {
                throw new RedisFailure(OutcomeClass.NOTHING_HAPPENED,
                        endpoint + ": the node knows no masters");
            }
            return read;
        })));
    }
}
