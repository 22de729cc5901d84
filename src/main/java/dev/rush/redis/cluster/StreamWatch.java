package dev.rush.redis.cluster;

import dev.rush.redis.Partition.Keys;
import io.vertx.redis.client.Response;

/**
 * Says when a partition's stream has something. Its connection stays open from one time to the
 * next.
 */
public final class StreamWatch {

    /** Before every entry. */
    private static final String START = "0-0";

    private final BlockedReads reads;
    private final Runnable found;

    /**
     * A watch that does not look yet.
     *
     * @param found is told, on the background's event loop
     */
    public StreamWatch(Router router, Keys stream, Runnable found) {
        this.found = found;
        this.reads = new BlockedReads(router, stream, 1, new Reader());
    }

    /** Says once that the stream has something, be it now or later. */
    public void look() {
        reads.start();
    }

    /** Never looks again. */
    public void stop() {
        reads.end();
    }

    private final class Reader implements BlockedReads.Reader {

        @Override
        public String after(long redisMs) {
            return START;
        }

        @Override
        public boolean received(Response entries, long redisMs) {
            if (entries == null) {
                return true;
            }
            found.run();
            return false;
        }

        @Override
        public void closed() {
            // Whatever was read, the next look begins at the stream's beginning.
        }
    }
}
