package dev.rush.event;

import dev.rush.RushConfig;
import dev.rush.WebhooksConfig;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Where webhooks may lie. A name is resolved before each round of deliveries, and connections go to
 * the very address that was judged, so that a name which leads elsewhere a moment later does not
 * help anybody.
 */
@Singleton
class Receivers {

    private static final int LENGTH_MOST = 2_048;
    private static final int PORT_MOST = 65_535;

    private final boolean allowHttp;
    private final List<Network> allowed;
    private final long timeoutMs;
    /** One thread a webhook, as the system's resolver may hang for long. */
    private final ExecutorService resolvers;

    @Inject
    Receivers(RushConfig config) {
        WebhooksConfig webhooks = config.webhooks();
        this.allowHttp = webhooks.allowHttp();
        this.allowed = webhooks.allowedNetworks().orElse(List.of()).stream()
                .map(text -> Network.parse(text.trim())).toList();
        this.timeoutMs = webhooks.timeout().toMillis();
        this.resolvers = new ThreadPoolExecutor(0, webhooks.most(), 30, TimeUnit.SECONDS,
                new SynchronousQueue<>(), task -> {
                    Thread thread = new Thread(task, "webhook-resolver");
                    thread.setDaemon(true);
                    return thread;
                });
    }

    @PreDestroy
    void stop() {
        resolvers.shutdownNow();
    }

    /** What is wrong with a webhook's address, as far as that can be said now; or null. */
    String violation(String url) {
        URI uri;
        try {
            uri = url == null ? null : new URI(url);
        } catch (URISyntaxException e) {
            uri = null;
        }
        if (uri == null || url.length() > LENGTH_MOST || uri.getHost() == null
                || uri.getUserInfo() != null || uri.getFragment() != null
                || uri.getPort() == 0 || uri.getPort() > PORT_MOST) {
            return "must be an address such as https://shop.example/rush";
        }
        if (!"https".equals(uri.getScheme()) && !(allowHttp && "http".equals(uri.getScheme()))) {
            return allowHttp ? "must begin with https:// or http://" : "must begin with https://";
        }
        String host = host(uri);
        try {
            return Network.isLiteral(host) && !isAllowed(InetAddress.getByName(host))
                    ? "lies in a network that is not allowed" : null;
        } catch (UnknownHostException e) {
            return "names no host";
        }
    }

    /** The host of an address, without the brackets of IPv6. */
    static String host(URI uri) {
        String host = uri.getHost();
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    private boolean isAllowed(InetAddress address) {
        return Network.isPublic(address)
                || allowed.stream().anyMatch(network -> network.has(address));
    }

    /**
     * An address of a host that may be connected to. Fails, in time, if its name leads nowhere or
     * to any address that is refused.
     */
    CompletableFuture<InetAddress> resolve(String host) {
        CompletableFuture<InetAddress> found = new CompletableFuture<>();
        resolvers.execute(() -> {
            try {
                InetAddress[] all = InetAddress.getAllByName(host);
                for (InetAddress address : all) {
                    if (!isAllowed(address)) {
                        throw new IllegalStateException(
                                "the host lies in a network that is not allowed");
                    }
                }
                found.complete(all[0]);
            } catch (UnknownHostException e) {
                found.completeExceptionally(new IllegalStateException("the host is not known"));
            } catch (RuntimeException e) {
                found.completeExceptionally(e);
            }
        });
        return found.orTimeout(timeoutMs, TimeUnit.MILLISECONDS);
    }
}
