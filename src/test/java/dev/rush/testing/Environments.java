package dev.rush.testing;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.dev.EmbeddedRedis;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The shared environments of this JVM, each started on first use. */
public final class Environments {
    private static final Once<EmbeddedLedger> LEDGER = new Once<>(EmbeddedLedger::start);
    private static final Once<Environment> SINGLE =
            new Once<>(() -> on("single", EmbeddedRedis.start()));
    /** Its nodes fail over later than others, because no test breaks one of them. */
    private static final Once<Environment> CLUSTER = new Once<>(() -> on("cluster",
            RedisClusterNodes.start("--cluster-node-timeout", "15000")));

    private Environments() {
    }

    /**
     * Returns the shared PostgreSQL; {@code freshDatabase()} gives each caller an empty database.
     */
    public static EmbeddedLedger ledger() {
        return LEDGER.get();
    }

    /** Returns the environment with one Redis. */
    public static Environment single() {
        return SINGLE.get();
    }

    /** Returns the environment with a Redis Cluster. */
    public static Environment cluster() {
        return CLUSTER.get();
    }

    /** Returns an environment on a Redis of the caller's own, which the caller may break. */
    public static Environment on(String name, EmbeddedRedis redis) {
        return new Servers(name, redis.url(), "standalone",
                key -> Resp.connect(redis.port()));
    }

    /** Returns the same environment with sales in three shards. */
    public static Environment inShards(Environment environment) {
        return new ForwardingEnvironment(environment) {
            @Override
            public int shards() {
                return 3;
            }
        };
    }

    /** Returns the same environment with a pod of the caller's own, which the caller closes. */
    public static Environment with(Pod pod, Environment environment) {
        return new ForwardingEnvironment(environment) {
            @Override
            public Pod pod() {
                return pod;
            }

            @Override
            public int shards() {
                return environment.shards();
            }
        };
    }

    /** Returns an environment on a cluster of the caller's own, which the caller may break. */
    public static Environment on(String name, RedisClusterNodes nodes) {
        return new Servers(name, nodes.hosts(), "cluster", nodes::resp);
    }

    /** Starts a pod of an environment; the properties override those of the environment. */
    public static Pod startPod(String name, Environment environment, Map<String, String> config) {
        return Pod.start(name, merged(environment, config));
    }

    /** As {@link #startPod}, without waiting until it is ready. */
    public static Pod launchPod(String name, Environment environment, Map<String, String> config) {
        return Pod.launch(name, merged(environment, config));
    }

    /** Starts pods at the same time, which is faster if processors are idle. */
    @SafeVarargs
    public static List<Pod> startTogether(Supplier<Pod>... starts) {
        List<CompletableFuture<Pod>> pods = Stream.of(starts).map(start ->
                CompletableFuture.supplyAsync(start, task -> new Thread(task).start())).toList();
        return pods.stream().map(CompletableFuture::join).toList();
    }

    private static Map<String, String> merged(Environment environment, Map<String, String> config) {
        Map<String, String> all = new HashMap<>(environment.config());
        all.putAll(config);
        return all;
    }

    private static final class Servers implements Environment {
        private final String name;
        private final String redisHosts;
        private final String clientType;
        private final Function<String, Resp> resp;
        private final Once<String> ledgerUrl = new Once<>(() -> ledger().freshDatabase());
        private final Once<Pod> pod;

        Servers(String name, String redisHosts, String clientType, Function<String, Resp> resp) {
            this.name = name;
            this.redisHosts = redisHosts;
            this.clientType = clientType;
            this.resp = resp;
            pod = new Once<>(() -> Pod.start(name, config()));
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public String redisHosts() {
            return redisHosts;
        }

        @Override
        public String clientType() {
            return clientType;
        }

        @Override
        public Resp resp(String key) {
            return resp.apply(key);
        }

        @Override
        public String ledgerUrl() {
            return ledgerUrl.get();
        }

        @Override
        public Pod pod() {
            return pod.get();
        }
    }

    /** A value that is created on first use; a failure is kept, too. */
    private static final class Once<T> {
        private final Supplier<T> create;
        private T value;
        private Throwable failure;

        Once(Supplier<T> create) {
            this.create = create;
        }

        synchronized T get() {
            if (failure != null) {
                throw new IllegalStateException("failed before", failure);
            }
            if (value == null) {
                try {
                    value = create.get();
                } catch (RuntimeException | Error e) {
                    failure = e;
                    throw e;
                }
            }
            return value;
        }
    }
}
