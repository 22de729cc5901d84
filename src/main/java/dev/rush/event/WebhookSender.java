package dev.rush.event;

import dev.rush.RushConfig;
import dev.rush.WebhooksConfig;
import dev.rush.event.Delivery.Result;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tries a delivery over HTTP once. A try ends within {@code rush.webhooks.timeout}, whatever the
 * receiver does: it follows no redirect, evaluates only the status, and reads only the beginning of
 * the body.
 */
@Singleton
class WebhookSender {

    /** Maximum bytes of an answer that are read; then the connection is closed. */
    private static final int BYTES_MAX = 4_096;
    /** Maximum bytes of an answer that are stored for operators. */
    private static final int KEPT_MAX = 200;
    private static final int KEEP_ALIVE_SECONDS = 5;

    private final Vertx vertx;
    private final WebhooksConfig config;
    private @Nullable HttpClient client;

    @Inject
    WebhookSender(Vertx vertx, RushConfig config) {
        this.vertx = vertx;
        this.config = config.webhooks();
    }

    private synchronized HttpClient client() {
        if (client == null) {
            int millis = (int) config.timeout().toMillis();
            client = vertx.createHttpClient(new HttpClientOptions().setConnectTimeout(millis)
                    .setSslHandshakeTimeout(millis)
                    .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
                    .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
                    // Per host and port, which slow and fast webhooks may share.
                    .setMaxPoolSize(config.parallel() * WebhooksConfig.MAX)
                    .setMaxWaitQueueSize(config.parallel()));
        }
        return client;
    }

    /**
     * Sends a delivery to a webhook, at an address that was checked.
     *
     * @return the result, also of a failed try; never fails
     */
    CompletableFuture<Result> send(Webhook webhook, InetAddress address, Delivery delivery) {
        URI uri = URI.create(webhook.url());
        boolean isSecure = uri.getScheme().equals("https");
        int port = uri.getPort() > 0 ? uri.getPort() : isSecure ? 443 : 80;
        // The id has no dots, because they separate the signed parts.
        String id = delivery.event().replace('.', '_');
        long seconds = Instant.now().getEpochSecond();
        RequestOptions options = new RequestOptions().setMethod(HttpMethod.POST)
                .setServer(SocketAddress.inetSocketAddress(port, address.getHostAddress()))
                .setHost(Receivers.host(uri)).setPort(port).setSsl(isSecure).setURI(path(uri))
                .setFollowRedirects(false)
                .putHeader("Content-Type", "application/cloudevents+json; charset=utf-8")
                .putHeader("User-Agent", "Rush")
                .putHeader("webhook-id", id)
                .putHeader("webhook-timestamp", Long.toString(seconds))
                .putHeader("webhook-signature",
                        Signatures.of(webhook.secrets(), id, seconds, delivery.body()));
        return new Try().begin(options, Buffer.buffer(delivery.body()));
    }

    private static String path(URI uri) {
        String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/"
                : uri.getRawPath();
        return uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
    }

    private final class Try {

        private final CompletableFuture<Result> result = new CompletableFuture<>();
        private final Buffer body = Buffer.buffer();
        private volatile @Nullable HttpClientRequest request;
        private volatile int status;

        CompletableFuture<Result> begin(RequestOptions options, Buffer sent) {
            // One deadline for the whole try, because a slow answer never hits an idle timeout.
            long timer = vertx.setTimer(config.timeout().toMillis(), late -> {
                end("no answer within " + config.timeout());
                drop();
            });
            result.whenComplete((done, failure) -> vertx.cancelTimer(timer));
            client().request(options).onFailure(this::failed).onSuccess(opened -> {
                request = opened;
                if (result.isDone()) {
                    drop();
                    return;
                }
                opened.exceptionHandler(this::failed);
                opened.send(sent).onFailure(this::failed).onSuccess(this::read);
            });
            return result;
        }

        private void read(HttpClientResponse response) {
            status = response.statusCode();
            response.exceptionHandler(this::failed);
            response.endHandler(end -> end(""));
            response.handler(chunk -> {
                body.appendBuffer(chunk, 0, Math.min(chunk.length(), BYTES_MAX - body.length()));
                if (body.length() >= BYTES_MAX) {
                    end("");
                    drop();
                }
            });
        }

        private void failed(Throwable failure) {
            end(failure.getMessage() == null ? failure.getClass().getSimpleName()
                    : failure.getMessage());
        }

        /** Completes with what was read of the answer, or else with the reason. */
        private void end(String reason) {
            String text = body.length() > 0
                    ? new String(body.getBytes(), StandardCharsets.UTF_8) : reason;
            String clean = text.replaceAll("[^\\x20-\\x7e]", "?");
            result.complete(new Result(status,
                    clean.substring(0, Math.min(clean.length(), KEPT_MAX))));
        }

        private void drop() {
            HttpClientRequest opened = request;
            if (opened != null) {
                opened.reset();
            }
        }
    }
}
