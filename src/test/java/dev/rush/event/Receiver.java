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

/** A receiver of webhooks, which answers as a test wants and can be stopped for a while. */
final class Receiver implements AutoCloseable {

    /** Accepts every delivery. */
    static final BiConsumer<HttpServerRequest, String> GOOD =
            (request, body) -> request.response().setStatusCode(204).end();

    final int port = Ports.free();
    private final Vertx vertx = Vertx.vertx();
    private final List<Received> all = new CopyOnWriteArrayList<>();
    private volatile BiConsumer<HttpServerRequest, String> behaviour = GOOD;
    private final HttpServerOptions options;
    private HttpServer server;

    /** A delivery, accepted or not. */
    record Received(String id, String timestamp, String signature, String contentType, String body,
            boolean isAccepted) {

        /** The event's id, from the body. */
        String event() {
            int from = body.indexOf("\"id\":\"") + 6;
            return body.substring(from, body.indexOf('"', from));
        }

        /** The event's subject, from the body. */
        String subject() {
            int from = body.indexOf("\"subject\":\"") + 11;
            return body.substring(from, body.indexOf('"', from));
        }
    }

    Receiver() {
        this(new HttpServerOptions());
    }

    Receiver(HttpServerOptions options) {
        this.options = options;
        open();
    }

    /** Sets the answer to deliveries from now on. */
    void behave(BiConsumer<HttpServerRequest, String> next) {
        behaviour = next;
    }

    /** Listens on its port, also again after {@link #stop}. */
    void open() {
        server = vertx.createHttpServer(options).requestHandler(request ->
                request.body().onSuccess(body -> answer(request, body)));
        server.listen(port, "127.0.0.1").toCompletionStage().toCompletableFuture().join();
    }

    /** Stops listening, and closes all connections. */
    void stop() {
        server.close().toCompletionStage().toCompletableFuture().join();
    }

    private void answer(HttpServerRequest request, Buffer body) {
        String text = body.toString();
        behaviour.accept(request, text);
        int status = request.response().getStatusCode();
        boolean isAccepted = request.response().ended() && status >= 200 && status < 300;
        all.add(new Received(request.getHeader("webhook-id"),
                request.getHeader("webhook-timestamp"), request.getHeader("webhook-signature"),
                request.getHeader("content-type"), text, isAccepted));
    }

    String url() {
        return "http://127.0.0.1:" + port + "/hook?a=b";
    }

    /** All deliveries so far. */
    List<Received> all() {
        return List.copyOf(all);
    }

    /** The ids of accepted events, in the order in which they were first accepted. */
    List<String> accepted() {
        Map<String, Received> first = new LinkedHashMap<>();
        all.stream().filter(Received::isAccepted).forEach(delivery ->
                first.putIfAbsent(delivery.event(), delivery));
        return new ArrayList<>(first.keySet());
    }

    /** As {@link #accepted}, of one subject. */
    List<String> accepted(String subject) {
        return accepted().stream().filter(event -> event.startsWith(subject + ".")).toList();
    }

    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
