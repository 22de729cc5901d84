package dev.rush.redis.cluster;

import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Reply;
import io.vertx.redis.client.Response;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Follows a partition's stream. Entries may be delivered twice: reading goes back after a lost
 * connection, and when the stream was recreated. Runs on the background event loop.
 */
public final class StreamTail {

    private static final Logger LOG = Logger.getLogger(StreamTail.class);
    private static final int ENTRIES_MAX = 1_000;

    private final Keys stream;
    private final LongSupplier backMs;
    private final Consumer<Reply> reader;
    private final BlockedReads reads;
    /** The last entry that was read; null to go back. */
    private @Nullable String last;

    /**
     * Creates a tail that is not started.
     *
     * @param stream the stream's key
     * @param backMs how far back to begin, in milliseconds by that Redis's clock
     * @param reader receives the fields of each entry
     */
    public StreamTail(Router router, Keys stream, LongSupplier backMs,
            Consumer<Reply> reader) {
        this.stream = stream;
        this.backMs = backMs;
        this.reader = reader;
        this.reads = new BlockedReads(router, stream, ENTRIES_MAX, new Reader());
    }

    /** Starts following. */
    public void start() {
        reads.start();
    }

    /** Stops following. */
    public void stop() {
        reads.stop();
    }

    private final class Reader implements BlockedReads.Reader {

        @Override
        public String after(long redisMs) {
            if (last == null) {
                last = Math.max(0, redisMs - backMs.getAsLong()) + "-0";
            }
            return last;
        }

        @Override
        public boolean received(@Nullable Response entries, long redisMs) {
            if (entries != null) {
                entries.forEach(StreamTail.this::read);
            } else if (last != null
                    && Long.parseLong(last.substring(0, last.indexOf('-'))) > redisMs) {
                // A read after an id in the future would miss current entries.
                last = null;
            }
            return true;
        }

        @Override
        public void closed() {
            last = null;
        }
    }

    private void read(Response entry) {
        last = entry.get(0).toString();
        try {
            reader.accept(Reply.of(entry.get(1)));
        } catch (RuntimeException e) {
            LOG.errorf(e, "Entry %s of %s could not be processed", last, stream);
        }
    }
}
