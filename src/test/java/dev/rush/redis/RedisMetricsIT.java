package dev.rush.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.RedisClusterNodes;
import dev.rush.testing.RedisNode;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** A pod reports the state of the masters, also when the cluster loses one. */
class RedisMetricsIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String REPLICAS = "rush_redis_replicas";
    private static final String WRITE_FAILED = "rush_redis_write_failed";
    private static final String UNCOVERED = "rush_redis_slots_uncovered";

    @Test
    void lostReplicasFullDisksAndLostShardsAreReported() throws IOException {
        try (RedisClusterNodes cluster = RedisClusterNodes.start();
                Pod pod = Environments.startPod("redis-metrics",
                        Environments.on("redis-metrics", cluster), Map.of())) {
            RedisNode master = cluster.masterOf(0);
            RedisNode other = cluster.masterOf(16_383);
            Await.until("each master has a replica", SOON, () -> {
                List<String> samples = samples(pod, REPLICAS);
                return samples.size() == 3 && samples.stream().allMatch(is("1"));
            }, pod::metrics);
            assertThat(samples(pod, WRITE_FAILED)).hasSize(3).allMatch(is("0"));
            assertThat(pod.metric(UNCOVERED)).isZero();

            // A finished snapshot is renamed to dump.rdb, which fails now.
            Files.createDirectory(other.server().folder().resolve("dump.rdb"));
            other.command("BGSAVE");
            cluster.replicasOf(0).forEach(replica -> replica.server().kill());
            Await.until("the failed snapshot is reported", SOON, () ->
                    samples(pod, WRITE_FAILED).stream().anyMatch(sample ->
                            sample.contains(":" + other.port() + "\"") && is("1").test(sample)),
                    pod::metrics);

            Await.until("the missing replica is reported", SOON, () ->
                    samples(pod, REPLICAS).stream().anyMatch(sample ->
                            sample.contains(":" + master.port() + "\"") && is("0").test(sample)),
                    pod::metrics);

            master.server().kill();
            Await.until("the lost shard is reported", SOON,
                    () -> pod.metric(UNCOVERED) > 5_000, pod::metrics);
            assertThat(samples(pod, REPLICAS)).as("a dead master has no series").hasSize(2);
        }
    }

    private static Predicate<String> is(String value) {
        return sample -> sample.endsWith(" " + value + ".0");
    }

    private static List<String> samples(Pod pod, String metric) {
        return pod.metrics().lines().filter(line -> line.startsWith(metric + "{")).toList();
    }
}
