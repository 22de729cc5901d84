package dev.rush.redis.cluster;

import dev.rush.redis.Partition.Keys;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Blocking reads of a partition's stream over a dedicated connection; Redis answers as soon as an
 * entry is added. A lost connection is reopened. Runs on the background event loop.
 */
final class BlockedReads {

    private static final Logger LOG = Logger.getLogger(BlockedReads.class);
    private static final String BLOCK_MS = "250";
    /**
     * Redis checks the timeouts of blocked clients about ten times a second, so one that has not
     * answered by then hangs.
     */
    private static final long SILENCE_MS = 1_500;
    private static final long BACKOFF_MS = 50;

    private final Router router;
    private final EventLoopClient loop;
    private final Keys stream;
    private final String max;
    private final Reader reader;
    private boolean wanted;
    private boolean ended;
    private @Nullable Node node;

    /** The consumer. Called on the background event loop. */
    interface Reader {

        /** The entry after which to read next, given the Redis clock's time. */
        String after(long redisMs);

        /**
         * Receives what was read.
         *
         * @param entries null if none arrived in time
         * @return whether to read on
         */
        boolean received(@Nullable Response entries, long redisMs);

        /** The connection was closed, or lost. */
        void closed();
    }

    /**
     * Creates reads that are not started.
     *
     * @param max maximum entries per read
     */
    BlockedReads(Router router, Keys stream, int max, Reader reader) {
        this.router = router;
        this.loop = router.background();
        this.stream = stream;
        this.max = Integer.toString(max);
        this.reader = reader;
    }

    /** Starts reading. */
    void start() {
        queue(() -> {
            if (!wanted && !ended) {
                wanted = true;
                connect();
            }
        });
    }

    /** Stops reading, and closes the connection. */
    void stop() {
        queue(() -> {
            wanted = false;
            close();
        });
    }

    /** As {@link #stop}, for good. */
    void end() {
        queue(() -> {
            ended = true;
            wanted = false;
            close();
        });
    }

    /** Always queued, so that starts and stops run in the order of their calls. */
    private void queue(Runnable task) {
        loop.context().runOnContext(ignored -> task.run());
    }

    private void close() {
        Node closing = node;
        node = null;
        reader.closed();
        if (closing != null) {
            closing.close();
        }
    }

    private void connect() {
        if (!wanted) {
            return;
        }
        Endpoint master = router.topology().master(stream.partition().slot());
        if (master == null) {
            retry("no master known");
            return;
        }
        if (node != null && !node.endpoint().equals(master)) {
            close();
        }
        if (node == null) {
            node = router.reader(master);
        }
        Node opened = node;
        opened.whenReady(failure -> {
            if (opened == node && failure != null) {
                retry(failure.getMessage());
            } else if (opened == node) {
                read(opened);
            }
        });
    }

    private void retry(String reason) {
        LOG.debugf("Reading the stream %s failed: %s", stream, reason);
        close();
        router.requestRead();
        loop.context().setTimer(BACKOFF_MS, ignored -> {
            if (node == null) {
                connect();
            }
        });
    }

    private static long now(Node node) {
        return node.clock().toRedisMillis(System.nanoTime());
    }

    private void read(Node from) {
        long timer = loop.context().setTimer(SILENCE_MS,
                late -> from.drop("no reply to a blocking read"));
        from.send(Request.cmd(Command.XREAD).arg("COUNT").arg(max).arg("BLOCK").arg(BLOCK_MS)
                .arg("STREAMS").arg(stream.texts().get(0)).arg(reader.after(now(from))))
                .onComplete(result -> {
                    loop.context().owner().cancelTimer(timer);
                    if (from != node) {
                        return;
                    }
                    if (result.failed()) {
                        retry(Causes.of(result.cause()));
                    } else if (reader.received(entries(result.result()), now(from))) {
                        read(from);
                    } else {
                        wanted = false;
                    }
                });
    }

    private @Nullable Response entries(@Nullable Response streams) {
        if (streams == null || streams.size() == 0) {
            return null;
        }
        // RESP3 has a map of streams, RESP2 a list.
        return streams.isMap() ? streams.get(stream.texts().get(0)) : streams.get(0).get(1);
    }
}
