package dev.rush;

import io.smallrye.config.WithDefault;

/** Events: streams to browsers, the feed, and Kafka. */
public interface EventsConfig {

    /**
     * Open streams per pod, 1 to 1000000; beyond it a stream is {@code unavailable}. Each takes a
     * connection and about 20 KB.
     */
    @WithDefault("10000")
    int streams();

    /**
     * Open streams per pod and address of a client, 1 to 1000000, so that none takes all; an IPv6
     * network of 64 bits counts as one address. Beyond it a stream is {@code rate-limited}. Many
     * viewers may share an address: customers of a provider, and all behind a proxy unless {@code
     * rush.http.client-address-header} is set.
     */
    @WithDefault("1000")
    int streamsPerAddress();

    /**
     * Calls of the feed that may wait for events, per pod, 1 to 10000; beyond it a call that would
     * have to wait is {@code unavailable}. They hold no thread; while any waits, the ledger is
     * queried four times a second.
     */
    @WithDefault("100")
    int waiting();

    /** Events to a message queue that speaks Kafka's protocol. */
    KafkaConfig kafka();
}
