package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.Optional;

/**
 * Bounds of the HTTP interface. Ports, connections and the size of a head are Quarkus's own
 * ({@code quarkus.http.*}).
 */
public interface HttpConfig {

    /**
     * How long the head of a request may take from its first byte, 0.1 s to 60 s. Then the
     * connection is closed.
     */
    @WithDefault("PT10S")
    Duration headTimeout();

    /**
     * How long the body of a request may take from its head, 0.1 s to 60 s. Then the answer is
     * {@code request-timeout}, and the connection is closed.
     */
    @WithDefault("PT10S")
    Duration bodyTimeout();

    /**
     * Bytes of request bodies that a pod buffers at once, 64 KiB or more. Bodies in transit may
     * take half of it. Beyond that, a request is {@code unavailable}.
     */
    @WithDefault("16777216")
    long bodyBudget();

    /**
     * Bodies of one buyer in transit to a pod, 1 to 100000, not counting those that arrived with
     * their heads. Beyond that, a request is {@code rate-limited}.
     */
    @WithDefault("64")
    int bodiesPerUser();

    /**
     * The header in which the proxy in front puts the client's address, such as {@code
     * X-Forwarded-For}: the last address in it counts. If unset, the address of the connection
     * counts.
     */
    Optional<String> clientAddressHeader();

    /** Pipelined requests of one connection that may wait for their answers, 1 to 10000. */
    @WithDefault("256")
    int pipeline();
}
