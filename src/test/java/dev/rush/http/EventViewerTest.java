package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Await;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A viewer that reads slowly, over a real connection with small buffers. */
class EventViewerTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int EVENTS = 20_000;

    private final Vertx vertx = Vertx.vertx();

    @AfterEach
    void stop() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private static EventSource.Event event(int number) {
        byte[] body = ("{\"n\":" + number + ",\"x\":\"" + "x".repeat(500) + "\"}")
                .getBytes(StandardCharsets.US_ASCII);
        return EventSource.Event.of(
                new Snapshot(Map.of(), body, "\"" + number + "\"", number, number));
    }

    @Test
    void aSlowViewerSkipsEventsAndGetsTheLatest() throws Exception {
        CompletableFuture<EventViewer> opened = new CompletableFuture<>();
        CompletableFuture<Context> loop = new CompletableFuture<>();
        HttpServer server = vertx.createHttpServer(new HttpServerOptions()
                .setSendBufferSize(4096)).requestHandler(request -> {
                    EventViewer viewer = new EventViewer(request, null, "");
                    viewer.begin(event(0));
                    loop.complete(vertx.getOrCreateContext());
                    opened.complete(viewer);
                }).listen(0, "127.0.0.1").toCompletionStage().toCompletableFuture().join();
        try (Socket socket = new Socket()) {
            socket.setReceiveBufferSize(4096);
            socket.connect(new InetSocketAddress("127.0.0.1", server.actualPort()));
            socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(
                    StandardCharsets.US_ASCII));
            EventViewer viewer = opened.join();
            AtomicInteger shown = new AtomicInteger();
            for (int i = 1; i <= EVENTS; i++) {
                EventSource.Event next = event(i);
                loop.join().runOnContext(ignored -> {
                    viewer.show(next);
                    shown.incrementAndGet();
                });
            }
            Await.until("all were shown", LIMIT, () -> shown.get() == EVENTS);

            int read = readUntil(socket.getInputStream(), "{\"n\":" + EVENTS + ",");
            assertThat(read).as("events that were kept for a slow reader")
                    .isBetween(2, EVENTS / 10);
        }
    }

    /** Reads to the end of the event with this text. Returns how many events there were. */
    private static int readUntil(InputStream in, String last) throws Exception {
        StringBuilder text = new StringBuilder();
        byte[] buffer = new byte[8192];
        int from = 0;
        while (text.indexOf(last, Math.max(0, from - 100)) < 0) {
            from = text.length();
            int read = in.read(buffer);
            assertThat(read).as("bytes after %d", text.length()).isPositive();
            text.append(new String(buffer, 0, read, StandardCharsets.ISO_8859_1));
        }
        return text.toString().split("\ndata: ", -1).length - 1;
    }
}
