package dev.rush.redis.cluster;

import dev.rush.redis.Partition.Keys;
import io.vertx.redis.client.Response;
import org.jspecify.annotations.Nullable;

/**
 * Notifies when a partition's stream has an entry. Its connection stays open between notifications.
 */
public final class StreamWatch {

    /** Before every entry. */
    private static final String START = "0-0";

    private final BlockedReads reads;
    private final Runnable found;

    /**
     * Creates a watch that is not started.
     *
     * @param found called on the background event loop
     */
    public StreamWatch(Router router, Keys stream, Runnable found) {
        this.found = found;
        this.reads = new BlockedReads(router, stream, 1, new Reader());
    }

    /** Notifies once when the stream has an entry, now or later. */
    public void start() {
        reads.start();
    }

    /** Stops for good. */
    public void stop() {
        reads.end();
    }

    private final class Reader implements BlockedReads.Reader {

        @Override
        public String after(long redisMs) {
            return START;
        }

        @Override
        public boolean received(@Nullable Response entries, long redisMs) {
            if (entries == null) {
                return true;
            }
            found.run();
            return false;
        }

        @Override
        public void closed() {
            // There is no position to reset: every read begins at the stream's head.
        }
    }
}
