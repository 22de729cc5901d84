package dev.rush.redis.cluster;

import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Reply;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;

/**
 * Follows a partition's stream over a connection of its own, on which Redis answers as soon as
 * something enters. Entries may come twice: whenever the connection was lost, and when the stream
 * began anew, reading goes back. All of it runs on the background's event loop.
 */
public final class StreamTail {

    private static final Logger LOG = Logger.getLogger(StreamTail.class);
    private static final String BLOCK_MS = "250";
    /** Redis looks about ten times a second whose time is over. One that says nothing hangs. */
    private static final long SILENCE_MS = 1_500;
    private static final long PAUSE_MS = 50;
    private static final String MOST = "1000";

    private final Router router;
    private final Loop loop;
    private final Keys stream;
    private final LongSupplier backMs;
    private final Consumer<Reply> reader;
    private boolean following;
    private Node node;
    /** The last entry that was read; null to go back. */
    private String last;

    /**
     * A tail that does not follow yet.
     *
     * @param stream its key
     * @param backMs how far to go back, by that Redis's clock
     * @param reader is given the fields of each entry
     */
    public StreamTail(Router router, Keys stream, LongSupplier backMs,
            Consumer<Reply> reader) {
        this.router = router;
        this.loop = router.background();
        this.stream = stream;
        this.backMs = backMs;
        this.reader = reader;
    }

    /** Follows from now on. */
    public void start() {
        loop.run(() -> {
            if (!following) {
                following = true;
                connect();
            }
        });
    }

    /** Follows no longer. */
    public void stop() {
        loop.run(() -> {
            following = false;
            close();
        });
    }

    private void close() {
        Node closing = node;
        node = null;
        last = null;
        if (closing != null) {
            closing.close();
        }
    }

    private void connect() {
        if (!following) {
            return;
        }
        Endpoint master = router.topology().master(stream.partition().slot());
        if (master == null) {
            again("no master known");
            return;
        }
        Node opened = router.reader(master);
        node = opened;
        opened.whenReady(failure -> {
            if (opened == node && failure != null) {
                again(failure.getMessage());
            } else if (opened == node) {
                read(opened);
            }
        });
    }

    private void again(String reason) {
        LOG.debugf("The stream %s is not followed now: %s", stream, reason);
        close();
        router.readSoon();
        loop.context().setTimer(PAUSE_MS, ignored -> {
            if (node == null) {
                connect();
            }
        });
    }

    private void read(Node from) {
        if (last == null) {
            last = Math.max(0, now(from) - backMs.getAsLong()) + "-0";
        }
        long timer = loop.context().setTimer(SILENCE_MS, late -> from.drop("it says nothing"));
        from.send(Request.cmd(Command.XREAD).arg("COUNT").arg(MOST).arg("BLOCK").arg(BLOCK_MS)
                .arg("STREAMS").arg(stream.texts().get(0)).arg(last)).onComplete(result -> {
                    loop.context().owner().cancelTimer(timer);
                    if (from != node) {
                        return;
                    }
                    if (result.failed()) {
                        again(Causes.of(result.cause()));
                    } else {
                        received(from, result.result());
                        read(from);
                    }
                });
    }

    private static long now(Node node) {
        return node.clock().toRedisMillis(System.nanoTime());
    }

    private void received(Node from, Response streams) {
        if (streams == null || streams.size() == 0) {
            // Whoever waits behind an id of the future never hears of entries of now.
            if (Long.parseLong(last.substring(0, last.indexOf('-'))) > now(from)) {
                last = null;
            }
            return;
        }
        // RESP3 has a map of streams, RESP2 a list.
        Response entries = streams.isMap() ? streams.get(stream.texts().get(0))
                : streams.get(0).get(1);
        for (Response entry : entries) {
            last = entry.get(0).toString();
            try {
                reader.accept(Reply.of(entry.get(1)));
            } catch (RuntimeException e) {
                LOG.errorf(e, "The entry %s of %s was not understood", last, stream);
            }
        }
    }
}
