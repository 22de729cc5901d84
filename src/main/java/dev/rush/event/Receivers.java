package dev.rush.event;

import dev.rush.RushConfig;
import dev.rush.WebhooksConfig;
import io.netty.util.concurrent.DefaultThreadFactory;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Checks the URLs of webhooks and resolves their hosts. A host is resolved before each round of
 * deliveries, and connections go to the address that was checked, which prevents DNS rebinding.
 */
@Singleton
class Receivers {

    private static final int LENGTH_MAX = 2_048;
    private static final int PORT_MAX = 65_535;

    private final boolean allowHttp;
    private final List<Network> allowed;
    private final long timeoutMs;
    /** One thread per host, because the system's resolver may hang for minutes. */
    private final ExecutorService resolvers;
    private final Names names;
    /** Lookups in progress by host, so that a name that hangs takes only one thread. */
    private final Map<String, CompletableFuture<InetAddress>> underWay =
            new ConcurrentHashMap<>();

    /** Resolves names, like {@link InetAddress#getAllByName}. */
    @FunctionalInterface
    interface Names {

        InetAddress[] find(String host) throws UnknownHostException;
    }

    @Inject
    Receivers(RushConfig config) {
        this(config, InetAddress::getAllByName);
    }

    Receivers(RushConfig config, Names names) {
        this.names = names;
        WebhooksConfig webhooks = config.webhooks();
        this.allowHttp = webhooks.allowHttp();
        this.allowed = webhooks.allowedNetworks().orElse(List.of()).stream()
                .map(text -> Network.parse(text.trim())).toList();
        this.timeoutMs = webhooks.timeout().toMillis();
        this.resolvers = new ThreadPoolExecutor(0, webhooks.max(), 30, TimeUnit.SECONDS,
                new SynchronousQueue<>(), new DefaultThreadFactory("webhook-resolver", true));
    }

    @PreDestroy
    void stop() {
        resolvers.shutdownNow();
    }

    /** Why a webhook's URL is invalid, as far as that shows without DNS; null if it is valid. */
    @Nullable String violation(String url) {
        URI uri;
        try {
            uri = url == null ? null : new URI(url);
        } catch (URISyntaxException e) {
            uri = null;
        }
        if (uri == null || url.length() > LENGTH_MAX || uri.getHost() == null
                || uri.getUserInfo() != null || uri.getFragment() != null
                || uri.getPort() == 0 || uri.getPort() > PORT_MAX) {
            return "must be a URL such as https://shop.example/rush";
        }
        if (!"https".equals(uri.getScheme()) && !(allowHttp && "http".equals(uri.getScheme()))) {
            return allowHttp ? "must begin with https:// or http://" : "must begin with https://";
        }
        String host = host(uri);
        try {
            return Network.isLiteral(host) && !isAllowed(InetAddress.getByName(host))
                    ? "is in a network that is not allowed" : null;
        } catch (UnknownHostException e) {
            return "has an invalid host";
        }
    }

    /** The host of a URL, without the brackets of IPv6. */
    static String host(URI uri) {
        String host = uri.getHost();
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    private boolean isAllowed(InetAddress address) {
        return Network.isPublic(address)
                || allowed.stream().anyMatch(network -> network.has(address));
    }

    /**
     * Resolves a host to an allowed address. Fails if the name does not resolve within {@code
     * rush.webhooks.timeout}, or if any of its addresses is not allowed.
     */
    CompletableFuture<InetAddress> resolve(String host) {
        CompletableFuture<InetAddress> started = new CompletableFuture<>();
        CompletableFuture<InetAddress> found = underWay.putIfAbsent(host, started);
        if (found == null) {
            found = started;
            start(host, started);
        }
        // Each caller gets its own future, so that a caller's timeout does not end the lookup.
        CompletableFuture<InetAddress> awaited = new CompletableFuture<>();
        found.whenComplete((address, failure) -> {
            if (failure == null) {
                awaited.complete(address);
            } else {
                awaited.completeExceptionally(failure);
            }
        });
        return awaited.orTimeout(timeoutMs, TimeUnit.MILLISECONDS);
    }

    private void start(String host, CompletableFuture<InetAddress> found) {
        found.whenComplete((address, failure) -> underWay.remove(host, found));
        try {
            resolvers.execute(() -> find(host, found));
        } catch (RejectedExecutionException e) {
            found.completeExceptionally(
                    new IllegalStateException("too many hosts are being resolved", e));
        } catch (OutOfMemoryError e) {
            found.completeExceptionally(
                    new IllegalStateException("the lookup could not be started", e));
        }
    }

    private void find(String host, CompletableFuture<InetAddress> found) {
        try {
            InetAddress[] all = names.find(host);
            for (InetAddress address : all) {
                if (!isAllowed(address)) {
                    throw new IllegalStateException(
                            "the host is in a network that is not allowed");
                }
            }
            found.complete(all[0]);
        } catch (UnknownHostException e) {
            found.completeExceptionally(new IllegalStateException("the host is unknown"));
        } catch (RuntimeException | Error e) {
            found.completeExceptionally(e);
        }
    }
}
