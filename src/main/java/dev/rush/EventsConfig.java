package dev.rush;

import io.smallrye.config.WithDefault;

/** Events: streams to browsers, the feed, and Kafka. */
public interface EventsConfig {

    /**
     * Open streams per pod, 1 to 1000000; beyond that, a stream is {@code unavailable}. Each takes
     * a connection and about 20 KB.
     */
    @WithDefault("10000")
    int streams();

    /**
     * Open streams per pod and client address, 1 to 1000000, so that no client takes them all; an
     * IPv6 network of 64 bits counts as one address. Beyond that, a stream is {@code rate-limited}.
     * Many viewers may share an address: customers of a provider, and everyone behind a proxy
     * unless {@code rush.http.client-address-header} is set.
     */
    @WithDefault("1000")
    int streamsPerAddress();

    /**
     * Feed calls per pod that may wait for events, 1 to 10000; beyond that, a call that would have
     * to wait is {@code unavailable}. They hold no thread; while any waits, the ledger is queried
     * four times a second.
     */
    @WithDefault("100")
    int waiting();

    /** Events to a message queue that speaks Kafka's protocol. */
    KafkaConfig kafka();
}
