package dev.rush.event;

import dev.rush.dev.Ports;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

/** The events of a million orders in few bytes, each at its first arrival. */
final class Recorder implements AutoCloseable {
    static final List<String> KINDS =
            List.of("reserved", "confirmed", "rejected", "expired", "returned");

    final int port = Ports.free();
    private final Vertx vertx = Vertx.vertx();
    private final ConcurrentHashMap<String, Life> lives = new ConcurrentHashMap<>();
    private final AtomicLong events = new AtomicLong();
    private final AtomicLong repeated = new AtomicLong();
    private final AtomicLong altered = new AtomicLong();
    private volatile long lastNanos = System.nanoTime();

    /** The kinds of an order's events by first arrival, with a checksum of each event. */
    private static final class Life {
        private byte[] kinds = {};
        private long[] sums = {};

        /** Returns true for a new event, false for a duplicate, null for an altered one. */
        private Boolean add(int kind, long sum) {
            for (int i = 0; i < kinds.length; i++) {
                if (kinds[i] == kind) {
                    return sums[i] == sum ? Boolean.FALSE : null;
                }
            }
            kinds = Arrays.copyOf(kinds, kinds.length + 1);
            sums = Arrays.copyOf(sums, sums.length + 1);
            kinds[kinds.length - 1] = (byte) kind;
            sums[sums.length - 1] = sum;
            return true;
        }
    }

    /** Opens a receiver of webhooks that answers at once. */
    Recorder() {
        vertx.createHttpServer().requestHandler(request ->
                request.body().onSuccess(body -> take(request, body)))
                .listen(port, "127.0.0.1").toCompletionStage().toCompletableFuture().join();
    }

    String url() {
        return "http://127.0.0.1:" + port + "/";
    }

    private void take(HttpServerRequest request, Buffer body) {
        add(body.toString());
        request.response().setStatusCode(204).end();
    }

    /** Records an event, given as JSON. */
    void add(String event) {
        int from = event.indexOf("\"id\":\"") + 6;
        int dot = event.indexOf('.', from);
        String order = event.substring(from, dot);
        int kind = KINDS.indexOf(event.substring(dot + 1, event.indexOf('"', dot)));
        CRC32 sum = new CRC32();
        sum.update(event.getBytes(StandardCharsets.UTF_8));
        Life life = lives.computeIfAbsent(order, id -> new Life());
        Boolean first;
        synchronized (life) {
            first = life.add(kind, sum.getValue());
        }
        if (first == null) {
            altered.incrementAndGet();
        } else if (first) {
            events.incrementAndGet();
            lastNanos = System.nanoTime();
        } else {
            repeated.incrementAndGet();
        }
    }

    /** The number of distinct events. */
    long events() {
        return events.get();
    }

    /** The number of duplicates: the same id and content. */
    long repeated() {
        return repeated.get();
    }

    /** The number of altered events: a known id with other content. */
    long altered() {
        return altered.get();
    }

    /** When the last distinct event arrived, by {@link System#nanoTime}. */
    long lastNanos() {
        return lastNanos;
    }

    /** The kinds of an order's events in the order of their first arrival. */
    List<String> kinds(String order) {
        Life life = lives.get(order);
        if (life == null) {
            return List.of();
        }
        synchronized (life) {
            String[] names = new String[life.kinds.length];
            for (int i = 0; i < names.length; i++) {
                names[i] = KINDS.get(life.kinds[i]);
            }
            return List.of(names);
        }
    }

    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
