package dev.rush.http;

import dev.rush.KeysConfig;
import dev.rush.RushConfig;
import io.quarkus.runtime.StartupEvent;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.PemTrustOptions;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The keys behind an HTTP address that verify tokens. They are fetched in the background: at the
 * start, every {@code rush.keys.refresh}, and soon after a token with an unknown key, at most once
 * per {@code rush.keys.retry}. No request waits for a fetch. While fetches fail, the last keys stay
 * in use.
 */
@Singleton
public class SigningKeys {

    private static final Logger LOG = Logger.getLogger(SigningKeys.class);
    private static final int BYTES_MAX = 256 * 1024;
    private static final long SILENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Vertx vertx;
    private final KeysConfig config;
    private final @Nullable String location;
    private final Optional<String> certificate;
    private final AtomicBoolean fetching = new AtomicBoolean();
    private volatile @Nullable KeySet keys;
    private volatile long lastFetchNanos;
    private long lastWarningNanos = System.nanoTime() - SILENCE_NANOS;
    private boolean failing;
    private @Nullable HttpClient client;

    @Inject
    SigningKeys(Vertx vertx, RushConfig config,
            @ConfigProperty(name = "mp.jwt.verify.publickey.location") Optional<String> location,
            @ConfigProperty(name = "smallrye.jwt.client.tls.certificate.path")
            Optional<String> certificate) {
        this.vertx = vertx;
        this.config = config.keys();
        this.location = config.identity() == RushConfig.Identity.TOKEN
                ? location.filter(SigningKeys::isHttp).orElse(null) : null;
        this.certificate = certificate;
    }

    void start(@Observes StartupEvent event) {
        if (isRemote()) {
            fetch();
        }
    }

    /** Whether keys are fetched at all; else they are in the configuration or in a file. */
    boolean isRemote() {
        return location != null;
    }

    /** The keys that were fetched last; null before the first fetch has succeeded. */
    @Nullable KeySet known() {
        return keys;
    }

    /** Reports a token with an unknown key, which may be a new one. */
    void reportUnknownKey() {
        if (System.nanoTime() - lastFetchNanos >= config.retry().toNanos()) {
            fetch();
        }
    }

    private static boolean isHttp(String location) {
        String lower = location.toLowerCase(Locale.ROOT);
        return lower.startsWith("http://") || lower.startsWith("https://");
    }

    private void fetch() {
        if (!fetching.compareAndSet(false, true)) {
            return;
        }
        lastFetchNanos = System.nanoTime();
        Future<KeySet> fetched;
        try {
            fetched = body().map(text -> KeySet.parse(text, keys));
        } catch (RuntimeException e) {
            fetched = Future.failedFuture(e);
        }
        fetched.onComplete(result -> {
            if (result.succeeded()) {
                keep(result.result());
            } else {
                warn(result.cause());
            }
            fetching.set(false);
            long pause = (result.succeeded() ? config.refresh() : config.retry()).toMillis();
            vertx.setTimer(pause, ignored -> fetchIfDue(pause));
        });
    }

    /** A fetch in the meantime has set its own timer. */
    private void fetchIfDue(long pauseMillis) {
        long age = System.nanoTime() - lastFetchNanos;
        if (age >= TimeUnit.MILLISECONDS.toNanos(pauseMillis)) {
            fetch();
        }
    }

    private Future<Buffer> body() {
        if (client == null) {
            client = client();
        }
        RequestOptions options = new RequestOptions().setMethod(HttpMethod.GET)
                .setAbsoluteURI(location).putHeader("Accept", "application/json");
        Promise<Buffer> whole = Promise.promise();
        client.request(options).onFailure(whole::tryFail).onSuccess(request -> {
            // One deadline for everything, because a server that answers slowly is never idle.
            long timer = vertx.setTimer(config.timeout().toMillis(), late -> {
                whole.tryFail(new TimeoutException("no answer within " + config.timeout()));
                request.reset();
            });
            whole.future().onComplete(done -> vertx.cancelTimer(timer));
            request.send().onFailure(whole::tryFail)
                    .onSuccess(response -> collect(response, whole));
        });
        return whole.future();
    }

    private static void collect(
            HttpClientResponse response, Promise<Buffer> whole) {
        if (response.statusCode() != 200) {
            whole.tryFail("status " + response.statusCode());
            response.request().reset();
            return;
        }
        Buffer body = Buffer.buffer();
        response.exceptionHandler(whole::tryFail);
        response.endHandler(end -> whole.tryComplete(body));
        response.handler(chunk -> {
            if (body.length() + chunk.length() > BYTES_MAX) {
                whole.tryFail("more than " + BYTES_MAX + " bytes");
                response.request().reset();
            } else {
                body.appendBuffer(chunk);
            }
        });
    }

    private HttpClient client() {
        int millis = (int) config.timeout().toMillis();
        HttpClientOptions options = new HttpClientOptions().setConnectTimeout(millis)
                .setSslHandshakeTimeout(millis).setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
                .setKeepAlive(false).setMaxPoolSize(1).setMaxWaitQueueSize(1);
        certificate.ifPresent(path ->
                options.setTrustOptions(new PemTrustOptions().addCertPath(path)));
        return vertx.createHttpClient(options);
    }

    private synchronized void keep(KeySet fetched) {
        if (keys == null || failing) {
            LOG.infof("Fetched %d token verification keys from %s", fetched.size(), location);
        } else if (fetched != keys) {
            LOG.infof("The token verification keys have changed; there are now %d",
                    fetched.size());
        }
        failing = false;
        keys = fetched;
    }

    private synchronized void warn(Throwable cause) {
        failing = true;
        long now = System.nanoTime();
        if (now - lastWarningNanos >= SILENCE_NANOS) {
            lastWarningNanos = now;
            LOG.warnf("Could not fetch the token verification keys from %s: %s. %s", location,
                    cause.getMessage(), keys == null
                            ? "Until this succeeds, calls that need an identity are answered 503."
                            : "The last keys stay in use.");
        }
    }
}
