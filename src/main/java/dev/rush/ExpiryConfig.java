package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Expiry of orders that are not paid in time. */
public interface ExpiryConfig {

    /** Interval at which due orders are polled, 0.05 s to 60 s. */
    @WithDefault("PT1S")
    Duration interval();

    /** Orders that expire in one transaction, 1 to 10000. */
    @WithDefault("500")
    int batch();

    /**
     * Duration of a ledger outage after which {@code grace} applies, 1 s to 1 h: a failover of
     * PostgreSQL should count, a lost connection should not.
     */
    @WithDefault("PT15S")
    Duration away();

    /**
     * How long after such an outage no order expires, at most 24 h, because orders could not be
     * confirmed during it. Unpaid orders hold their units meanwhile.
     */
    @WithDefault("PT2M")
    Duration grace();
}
