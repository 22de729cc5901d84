package dev.rush.redis;

import io.quarkus.redis.client.RedisOptionsCustomizer;
import io.vertx.redis.client.RedisOptions;
import jakarta.inject.Singleton;

/**
 * What Quarkus made of {@code quarkus.redis.*}: hosts, user, password, TLS, timeouts. It is taken
 * down when Quarkus makes its own client, which is before any of our beans start.
 */
@Singleton
class ClientOptions implements RedisOptionsCustomizer {

    private volatile RedisOptions options;

    @Override
    public void customize(String clientName, RedisOptions made) {
        options = new RedisOptions(made);
    }

    RedisOptions get() {
        if (options == null) {
            throw new IllegalStateException("quarkus.redis.hosts is not configured");
        }
        return options;
    }
}
