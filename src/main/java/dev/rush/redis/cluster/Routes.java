package dev.rush.redis.cluster;

import dev.rush.redis.Calls;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * Which node owns which slot, as this pod knows it. Calls report here what they meet, and whoever
 * keeps the picture is told. Thread-safe.
 */
final class Routes {

    private static final long REFRESH_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final boolean cluster;
    private final Runnable reader;
    private volatile Topology topology;
    private volatile IntConsumer doubts = slot -> { };
    private volatile long refreshedNanos = System.nanoTime() - TimeUnit.SECONDS.toNanos(1);

    /**
     * The picture before anything was read.
     *
     * @param reader reads the picture again; may be called on any thread
     */
    Routes(boolean cluster, List<Endpoint> seeds, Runnable reader) {
        this.cluster = cluster;
        this.reader = reader;
        this.topology = cluster ? Topology.unknown(seeds) : Topology.single(seeds.get(0));
    }

    Topology topology() {
        return topology;
    }

    /** Follows a MOVED reply at once and has the whole picture read again. */
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

    /** Has the picture read again, unless that was done a moment ago. */
    void refresh() {
        if (cluster && System.nanoTime() - refreshedNanos >= REFRESH_PAUSE_NANOS) {
            reader.run();
        }
    }

    /** Takes note that the picture was read, or could not be. */
    void refreshed() {
        refreshedNanos = System.nanoTime();
    }

    /** Takes a picture that was read. Returns whether its nodes are others than before. */
    synchronized boolean accept(Topology read) {
        boolean changed = !read.masters().equals(topology.masters())
                || !read.nodes().equals(topology.nodes());
        topology = read;
        return changed;
    }

    /** Names who is told of slots whose layout is not known. */
    void onDoubt(IntConsumer next) {
        doubts = next;
    }

    /** Tells that a call has met a layout that is not known. */
    void doubt(int slot) {
        doubts.accept(slot);
    }
}
