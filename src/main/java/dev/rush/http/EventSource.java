package dev.rush.http;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The source of events of one sale or rain on this pod: it polls the view every 200 ms while there
 * are viewers, and emits an event when it has changed. Thread-safe.
 */
final class EventSource {

    /** Poll interval, so at most five events a second. */
    private static final long INTERVAL_MS = 200;
    private static final byte[] SERVER_TIME =
            ",\"serverTime\":\"".getBytes(StandardCharsets.US_ASCII);

    private final Vertx vertx;
    private final String name;
    private final Supplier<? extends CompletionStage<Snapshot>> read;
    private final BiConsumer<EventSource, Event> changed;
    private final Consumer<EventSource> gone;
    private int viewers;
    private @Nullable Event current;
    private volatile boolean over;

    /**
     * A change as it is sent.
     *
     * @param view the latest view; the encoded one may be older but equal
     */
    record Event(Snapshot view, Buffer encoded) {

        static Event of(Snapshot view) {
            return new Event(view, encode(view));
        }

        /** The same with the current time. */
        Buffer encodedNow() {
            return encode(view);
        }

        private static Buffer encode(Snapshot view) {
            byte[] body = view.body();
            String head = "id: " + view.asOfMillis() + "-" + view.etag().replace("\"", "")
                    + "\nretry: 2000\ndata: ";
            return Buffer.buffer(head.length() + body.length + 64).appendString(head)
                    .appendBytes(body, 0, body.length - 1).appendBytes(SERVER_TIME)
                    .appendString(Times.text(view.nowMillis())).appendString("\"}\n\n");
        }
    }

    /**
     * Creates a source without viewers.
     *
     * @param read    reads the current view, null once there is none; a failed read is skipped
     * @param changed receives each event, sequentially
     * @param gone    is called when the sale or rain no longer exists
     */
    EventSource(Vertx vertx, String name, Supplier<? extends CompletionStage<Snapshot>> read,
            BiConsumer<EventSource, Event> changed, Consumer<EventSource> gone) {
        this.vertx = vertx;
        this.name = name;
        this.read = read;
        this.changed = changed;
        this.gone = gone;
        vertx.setTimer(INTERVAL_MS, timer -> poll());
    }

    String name() {
        return name;
    }

    synchronized void addViewer() {
        viewers++;
    }

    /** Removes a viewer. Returns the number of remaining ones. */
    synchronized int removeViewer() {
        return --viewers;
    }

    /** Whether the sale or rain no longer exists. */
    boolean isOver() {
        return over;
    }

    private synchronized boolean isWatched() {
        return viewers > 0;
    }

    /**
     * Accepts a view, and emits an event if it differs from the last one, unless it is older.
     *
     * @return the current event
     */
    synchronized Event offer(Snapshot view) {
        if (current != null && current.view.readNanos() - view.readNanos() >= 0) {
            return current;
        }
        if (current != null && current.view.etag().equals(view.etag())) {
            current = new Event(view, current.encoded);
        } else {
            current = Event.of(view);
            changed.accept(this, current);
        }
        return current;
    }

    private void poll() {
        if (!isWatched()) {
            return;
        }
        CompletionStage<Snapshot> snapshot;
        try {
            snapshot = read.get();
        } catch (RuntimeException | Error e) {
            snapshot = CompletableFuture.failedFuture(e);
        }
        snapshot.whenComplete((view, failure) -> {
            if (failure == null && view == null) {
                over = true;
                gone.accept(this);
                return;
            }
            vertx.setTimer(INTERVAL_MS, timer -> poll());
            if (failure == null) {
                offer(view);
            }
        });
    }
}
