package dev.rush.redis.cluster;

import io.quarkus.runtime.configuration.ConfigurationException;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClientOptions;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisOptions;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Opens connections to single nodes with the user, password, TLS and timeouts of {@code
 * quarkus.redis.*}.
 */
@Singleton
class Connector {

    private static final int DEFAULT_PORT = 6379;

    private final Vertx vertx;
    private final RedisOptions options;

    /**
     * Creates a connector.
     *
     * @param requested Quarkus's own client, injected so that Quarkus reads its configuration; it
     *                  opens no connection until used, and is never used
     */
    @Inject
    @SuppressWarnings("UnusedVariable")
    Connector(Vertx vertx, ClientOptions options, Instance<Redis> requested) {
        this.vertx = vertx;
        this.options = options.get();
    }

    /** Whether the configuration says that Redis is a cluster. */
    boolean isCluster() {
        RedisClientType type = options.getType();
        if (type != RedisClientType.CLUSTER && type != RedisClientType.STANDALONE) {
            throw new IllegalArgumentException(
                    "quarkus.redis.client-type must be standalone or cluster, not " + type);
        }
        return type == RedisClientType.CLUSTER;
    }

    /**
     * The configured hosts.
     *
     * @throws ConfigurationException if one is not a host and port
     */
    List<Endpoint> seeds() {
        List<Endpoint> seeds = new ArrayList<>();
        for (String configured : options.getEndpoints()) {
            URI uri = URI.create(configured);
            // Not with getHost(), which is null for host names that it considers invalid.
            String address = uri.getRawAuthority() == null ? ""
                    : uri.getRawAuthority().replaceFirst("^.*@", "");
            seeds.add(Endpoint.parse(uri.getPort() < 0 ? address + ":" + DEFAULT_PORT : address,
                    null).orElseThrow(() -> new ConfigurationException(
                    "quarkus.redis.hosts must name hosts and ports, like redis://host:6379, not "
                    + (address.isEmpty() ? uri.getScheme() + ":…" : address))));
        }
        return seeds;
    }

    /**
     * The user of an address, with the password from {@code quarkus.redis.password} if the address
     * has none, so that addresses need not be secret. The client itself would drop such a user.
     */
    private String user(String userInfo) {
        if (userInfo == null) {
            return "";
        }
        String password = options.getPassword();
        return password == null || userInfo.contains(":") ? userInfo + "@"
                : userInfo + ":" + URLEncoder.encode(password, StandardCharsets.UTF_8) + "@";
    }

    /**
     * A client for one node that opens at most one connection, so that closing the client certainly
     * closes the connection.
     */
    Redis client(Endpoint endpoint) {
        URI seed = URI.create(options.getEndpoints().get(0));
        String user = user(seed.getRawUserInfo());
        // A node of a cluster has only database 0; a single Redis may have several.
        String database = isCluster() || seed.getRawPath() == null ? "" : seed.getRawPath();
        String query = seed.getRawQuery() == null ? "" : "?" + seed.getRawQuery();
        RedisOptions single = new RedisOptions(options);
        single.setType(RedisClientType.STANDALONE);
        single.setEndpoints(
                List.of(seed.getScheme() + "://" + user + endpoint + database + query));
        single.setMaxPoolSize(1).setMaxPoolWaiting(1).setPoolRecycleTimeout(-1);
        single.setNetClientOptions(new NetClientOptions(options.getNetClientOptions())
                .setReconnectAttempts(0));
        return Redis.createClient(vertx, single);
    }
}
