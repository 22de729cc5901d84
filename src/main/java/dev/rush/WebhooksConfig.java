package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Events over HTTP to whoever was registered for them. */
public interface WebhooksConfig {

    /** Whether {@code http} addresses may be registered: anyone on the way reads the events. */
    @WithDefault("false")
    boolean allowHttp();

    /**
     * Networks, as {@code 10.1.2.0/24,fd00::/8}, in which webhooks may lie although they are
     * private, local or reserved. All others of that kind are refused, whatever name leads there.
     */
    Optional<List<String>> allowedNetworks();

    /** The most webhooks, 1 to 100. */
    @WithDefault("20")
    int most();

    /**
     * How long one delivery may take, 0.1 s to 30 s; then it counts as failed and is tried again.
     */
    @WithDefault("PT10S")
    Duration timeout();

    /** Deliveries to one webhook at a time, each of another subject, 1 to 64. */
    @WithDefault("8")
    int parallel();

    /**
     * Time before the second try of a delivery, 0.01 s to 1 h. Each further one waits four times as
     * long as the one before, but 4 h at most.
     */
    @WithDefault("PT5S")
    Duration retry();

    /** How long a delivery is tried before it is {@code failed}, 1 s to 30 d. */
    @WithDefault("P3D")
    Duration giveUp();

    /**
     * Deliveries per webhook that may wait for another try, or behind one of their subject, 1 to
     * 100000. When there are as many, no further events are read for it until some are through.
     */
    @WithDefault("1000")
    int waiting();

    /** Failed deliveries that are kept per webhook, 1 to 100000; the oldest are dropped. */
    @WithDefault("1000")
    int kept();
}
