package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Events over HTTP to registered receivers. */
public interface WebhooksConfig {

    /** Maximum of {@link #max}. */
    int MAX = 100;

    /**
     * Whether {@code http} addresses may be registered. Anyone on the network path can then read
     * the events.
     */
    @WithDefault("false")
    boolean allowHttp();

    /**
     * Networks, as {@code 10.1.2.0/24,fd00::/8}, in which webhooks are allowed although they are
     * private, local or reserved. All others of that kind are refused, whatever name resolves to
     * them.
     */
    Optional<List<String>> allowedNetworks();

    /** Maximum number of webhooks, 1 to 100. */
    @WithDefault("20")
    int max();

    /** How long one delivery may take, 0.1 s to 30 s; then it counts as failed and is retried. */
    @WithDefault("PT10S")
    Duration timeout();

    /** Concurrent deliveries to one webhook, each of a different subject, 1 to 64. */
    @WithDefault("8")
    int parallel();

    /**
     * Time before the first retry of a delivery, 0.01 s to 1 h. Each further one waits four times
     * as long as the one before, up to 4 h.
     */
    @WithDefault("PT5S")
    Duration retry();

    /** How long a delivery is retried before it is {@code failed}, 1 s to 30 d. */
    @WithDefault("P3D")
    Duration giveUp();

    /**
     * Deliveries per webhook that may wait for a retry, or behind one of their subject, 1 to
     * 100000. At that number, no further events are read for it until some are delivered.
     */
    @WithDefault("1000")
    int waiting();

    /** Failed deliveries that are kept per webhook, 1 to 100000; the oldest are dropped. */
    @WithDefault("1000")
    int kept();
}
