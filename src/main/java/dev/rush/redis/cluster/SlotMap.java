package dev.rush.redis.cluster;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * This pod's map of slots to nodes. Calls report redirections and errors here, which trigger a new
 * read of the topology. Thread-safe.
 */
final class SlotMap {

    private static final long REFRESH_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final boolean cluster;
    private final Runnable reader;
    private volatile Topology topology;
    private volatile IntConsumer listener = slot -> { };
    private volatile long refreshedNanos = System.nanoTime() - TimeUnit.SECONDS.toNanos(1);

    /**
     * Creates the map before anything was read.
     *
     * @param reader reads the topology again; may be called on any thread
     */
    SlotMap(boolean cluster, List<Endpoint> seeds, Runnable reader) {
        this.cluster = cluster;
        this.reader = reader;
        this.topology = cluster ? Topology.unknown(seeds) : Topology.single(seeds.get(0));
    }

    Topology topology() {
        return topology;
    }

    /** Follows a MOVED reply at once and has the whole topology read again. */
    void moved(int slot, Endpoint endpoint) {
        if (!cluster) {
            return;
        }
        synchronized (this) {
            if (!endpoint.equals(topology.master(slot))) {
                topology = topology.moved(slot, endpoint);
            }
        }
        refresh();
    }

    /** Has the topology read again, unless it was read a moment ago. */
    void refresh() {
        if (cluster && System.nanoTime() - refreshedNanos >= REFRESH_PAUSE_NANOS) {
            reader.run();
        }
    }

    /** Records that a read of the topology has ended. */
    void refreshed() {
        refreshedNanos = System.nanoTime();
    }

    /** Adopts a new topology. Returns whether its nodes have changed. */
    synchronized boolean accept(Topology read) {
        boolean changed = !read.masters().equals(topology.masters())
                || !read.nodes().equals(topology.nodes());
        topology = read;
        return changed;
    }

    /** Sets the listener for slots with an unknown layout. */
    void onUnknownLayout(IntConsumer next) {
        listener = next;
    }

    /** Reports that a call found an unknown layout. */
    void unknownLayout(int slot) {
        listener.accept(slot);
    }
}
