package dev.rush.event;

import dev.rush.dev.Ports;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;

/** A receiver of webhooks, which answers as a test wants and may be away for a while. */
final class Receiver implements AutoCloseable {

    /** Takes whatever comes. */
    static final BiConsumer<HttpServerRequest, String> GOOD =
            (request, body) -> request.response().setStatusCode(204).end();

    final int port = Ports.free();
    private final Vertx vertx = Vertx.vertx();
    private final List<Got> all = new CopyOnWriteArrayList<>();
    private volatile BiConsumer<HttpServerRequest, String> behaviour = GOOD;
    private final HttpServerOptions options;
    private HttpServer server;

    /** A request that came, whether or not it was answered well. */
    record Got(String id, String timestamp, String signature, String contentType, String body,
            boolean isTaken) {

        /** The event's id, from the body. */
        String event() {
            int from = body.indexOf("\"id\":\"") + 6;
            return body.substring(from, body.indexOf('"', from));
        }

        /** What the event is about. */
        String subject() {
            int from = body.indexOf("\"subject\":\"") + 11;
            return body.substring(from, body.indexOf('"', from));
        }
    }

    Receiver() {
        this(new HttpServerOptions());
    }

    /** One whose connections are as the options say. */
    Receiver(HttpServerOptions options) {
        this.options = options;
        open();
    }

    /** Answers so from now on. */
    void behave(BiConsumer<HttpServerRequest, String> next) {
        behaviour = next;
    }

    /** Comes back. */
    void open() {
        server = vertx.createHttpServer(options).requestHandler(request ->
                request.body().onSuccess(body -> answer(request, body)));
        server.listen(port, "127.0.0.1").toCompletionStage().toCompletableFuture().join();
    }

    /** Goes away, with all connections. */
    void die() {
        server.close().toCompletionStage().toCompletableFuture().join();
    }

    private void answer(HttpServerRequest request, Buffer body) {
        String text = body.toString();
        behaviour.accept(request, text);
        int status = request.response().getStatusCode();
        boolean isTaken = request.response().ended() && status >= 200 && status < 300;
        all.add(new Got(request.getHeader("webhook-id"),
                request.getHeader("webhook-timestamp"), request.getHeader("webhook-signature"),
                request.getHeader("content-type"), text, isTaken));
    }

    String url() {
        return "http://127.0.0.1:" + port + "/hook?a=b";
    }

    /** All that came. */
    List<Got> all() {
        return List.copyOf(all);
    }

    /** The ids of the events that were taken, each where it was taken first. */
    List<String> taken() {
        Map<String, Got> first = new LinkedHashMap<>();
        all.stream().filter(Got::isTaken).forEach(got -> first.putIfAbsent(got.event(), got));
        return new ArrayList<>(first.keySet());
    }

    /** As {@link #taken}, of one subject. */
    List<String> taken(String subject) {
        return taken().stream().filter(event -> event.startsWith(subject + ".")).toList();
    }

    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
