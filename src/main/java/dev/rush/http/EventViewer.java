package dev.rush.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import jakarta.ws.rs.core.MediaType;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One open stream. A slow viewer skips intermediate events and gets the latest; one that does not
 * read for a while is disconnected. Confined to the event loop of its connection.
 */
final class EventViewer {

    /** Bytes that may wait for a viewer before it counts as slow: a view of a few items. */
    private static final int QUEUE_BYTES_MAX = 8 * 1024;
    private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Its slot in the wheel of heartbeats. */
    int slot;
    private final HttpServerRequest request;
    private final HttpServerResponse response;
    private final EventSource source;
    private final String client;
    /** When the view of the last event sent was read. */
    private long shownNanos;
    /** The event that waits for buffer space. */
    private EventSource.@Nullable Event waiting;
    private long fullSinceNanos;
    private boolean full;

    /**
     * Creates a viewer whose stream has not started.
     *
     * @param client the client, as identified by {@link ClientAddresses}
     */
    EventViewer(HttpServerRequest request, EventSource source, String client) {
        this.request = request;
        this.response = request.response();
        this.source = source;
        this.client = client;
    }

    String client() {
        return client;
    }

    EventSource source() {
        return source;
    }

    /** Starts the response with the current view. */
    void begin(EventSource.Event present) {
        shownNanos = present.view().readNanos();
        response.setWriteQueueMaxSize(QUEUE_BYTES_MAX).setStatusCode(200).setChunked(true)
                .putHeader("Content-Type", MediaType.SERVER_SENT_EVENTS)
                .putHeader("Cache-Control", "no-store")
                .putHeader("X-Content-Type-Options", "nosniff")
                // Proxies that buffer responses would hold back the events.
                .putHeader("X-Accel-Buffering", "no");
        response.write(present.encodedNow());
    }

    /** Sends an event, or keeps it until there is buffer space. */
    void show(EventSource.Event event) {
        if (isOver() || event.view().readNanos() - shownNanos <= 0) {
            return; // The viewer has this view or a newer one.
        }
        if (isFull()) {
            waiting = event;
        } else {
            shownNanos = event.view().readNanos();
            response.write(event.encoded());
        }
    }

    /** Sends a heartbeat, or ends the stream if the client has not read for long. */
    void beat(Buffer heartbeat) {
        if (isOver()) {
            return;
        }
        if (!isFull()) {
            response.write(heartbeat);
        } else if (System.nanoTime() - fullSinceNanos > STUCK_NANOS) {
            request.connection().close();
        }
    }

    /** Ends the stream; the client reconnects. */
    void end() {
        if (!isOver()) {
            response.end();
        }
    }

    private boolean isOver() {
        return response.ended() || response.closed();
    }

    private boolean isFull() {
        if (!full && response.writeQueueFull()) {
            full = true;
            fullSinceNanos = System.nanoTime();
            response.drainHandler(drained -> resume());
        }
        return full;
    }

    private void resume() {
        full = false;
        EventSource.Event next = waiting;
        waiting = null;
        if (next != null) {
            show(next);
        }
    }
}
