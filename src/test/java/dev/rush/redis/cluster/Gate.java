package dev.rush.redis.cluster;

import dev.rush.RushConfig;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Partitions;
import dev.rush.redis.ScriptCatalog;
import dev.rush.redis.ScriptSet;
import dev.rush.redis.batch.Batcher;
import dev.rush.redis.batch.SequenceLost;
import dev.rush.redis.batch.Sequences;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisOptions;
import jakarta.enterprise.event.Event;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The Redis client of a pod within this JVM, on one event loop, for any server. It waits
 * five times as long as in production, so that a busy machine fails no test.
 */
public final class Gate implements AutoCloseable {

    public static final Partitions PARTITIONS = new Partitions(64);

    public final Router router;
    public final Batcher batcher;
    public final RedisCommands commands;
    public final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));

    /**
     * A client.
     *
     * @param ports    of 127.0.0.1
     * @param settings of {@code rush.*}
     * @param losses   receives lost sequences, and may throw
     */
    public Gate(RedisClientType type, List<Integer> ports, Map<String, String> settings,
            Consumer<SequenceLost> losses) {
        Map<String, String> all = new HashMap<>(
                Map.of("rush.deadline", "PT10S", "rush.redis.silence", "PT4S"));
        all.putAll(settings);
        RushConfig config = new SmallRyeConfigBuilder().withMapping(RushConfig.class)
                .withDefaultValues(all).build().getConfigMapping(RushConfig.class);
        RedisOptions options = new RedisOptions().setType(type).setMaxWaitingHandlers(8192);
        options.setEndpoints(ports.stream().map(port -> "redis://127.0.0.1:" + port).toList());
        options.getNetClientOptions().setConnectTimeout(300);
        ClientOptions client = new ClientOptions();
        client.customize("", options);
        Connector connector = new Connector(vertx, client, null);
        router = new Router(vertx, connector,
                new ScriptCatalog(List.<ScriptSet>of(new LayoutScripts())),
                new Replication(connector, config, registry), config);
        batcher = new Batcher(router, new Sequences(PARTITIONS, event(losses), registry), config,
                registry);
        commands = new RedisCommands(router, config);
    }

    /** Keys of some partition. */
    public static Keys keys(String... names) {
        return PARTITIONS.all().get(7).keys().named(names);
    }

    /** Reads the topology; returns false if no node supplied one. */
    public boolean read() {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        router.background().run(() -> router.read()
                .onComplete(read -> done.complete(read.succeeded())));
        return done.join();
    }

    @SuppressWarnings("unchecked")
    public static Event<SequenceLost> event(Consumer<SequenceLost> losses) {
        return (Event<SequenceLost>) Proxy.newProxyInstance(Gate.class.getClassLoader(),
                new Class<?>[] {Event.class}, (proxy, method, arguments) -> {
                    losses.accept((SequenceLost) arguments[0]);
                    return null;
                });
    }

    @Override
    public void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
}
