package dev.rush.sale.shard;

import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Two pods on one Redis with sales in three shards, and access to the data of each shard. */
final class ShardScene implements AutoCloseable {
    static final Duration SOON = Duration.ofSeconds(20);
    static final int SHARDS = 3;
    private static final Map<String, String> CONFIG = Map.of("rush.rate-limit.enabled", "false");

    private final String name;
    private final EmbeddedRedis redis = EmbeddedRedis.start();
    private final Environment environment;
    private final Pod first;
    private final Pod second;

    ShardScene(String name) {
        this.name = name;
        environment = Environments.inShards(Environments.on(name, redis));
        first = Environments.launchPod(name + "-1", environment, CONFIG);
        second = Environments.launchPod(name + "-2", environment, CONFIG);
        first.awaitReady();
        second.awaitReady();
    }

    Pod first() {
        return first;
    }

    Pod second() {
        return second;
    }

    /** The two pods in turn. */
    Pod pod(int i) {
        return i % 2 == 0 ? first : second;
    }

    /** Starts another pod. */
    Pod start(String pod) {
        return Environments.startPod(name + "-" + pod, environment, CONFIG);
    }

    TestSale sale(String items) {
        TestSale sale = TestSale.unknown(environment, first.api());
        sale.prepare(items, "");
        return sale;
    }

    /** Copies a sale in Redis to another id. */
    TestSale copy(TestSale sale) {
        TestSale copy = TestSale.unknown(environment, first.api());
        for (int shard = 0; shard < SHARDS; shard++) {
            for (String part : List.of("conf", "stock", "transfers")) {
                sale.redis("COPY", sale.key(sale.shards().get(shard), part),
                        copy.key(copy.shards().get(shard), part));
            }
        }
        return copy;
    }

    /** A user whose home is this shard. */
    static String userOf(TestSale sale, int shard) {
        String user;
        do {
            user = fresh("user");
        } while (sale.shards().home(user) != shard);
        return user;
    }

    /** A counter of one shard's stock. */
    static long counter(TestSale sale, int shard, String counter) {
        return Long.parseLong(sale.hash(sale.shards().get(shard), "stock")
                .getOrDefault(counter, "0"));
    }

    static long sum(TestSale sale, String counter) {
        long sum = 0;
        for (int shard = 0; shard < SHARDS; shard++) {
            sum += counter(sale, shard, counter);
        }
        return sum;
    }

    /** Asserts that all transfers finish, and that no unit was lost or created. */
    static void assertConserved(TestSale sale, String sku, long total) {
        Await.until("all transfers are finished", SOON, () -> sale.size("transfers") == 0);
        assertThat(sum(sale, sku + ":total")).isEqualTo(total);
        assertThat(sum(sale, sku + ":sent")).isEqualTo(sum(sale, sku + ":received"));
        for (int shard = 0; shard < SHARDS; shard++) {
            assertThat(counter(sale, shard, sku + ":ordered"))
                    .isLessThanOrEqualTo(counter(sale, shard, sku + ":total"));
        }
    }

    @Override
    public void close() {
        first.close();
        second.close();
        redis.close();
    }
}
