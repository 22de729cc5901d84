package dev.rush.redis.cluster;

import dev.rush.redis.Slots;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.quarkus.runtime.StartupEvent;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Response;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * Metrics of the Redis masters from their INFO, so that no exporter is needed. A master that does
 * not answer has no series; {@code rush_redis_reachable} shows that pods cannot reach it.
 */
@Singleton
class RedisMetrics {

    private static final Logger LOG = Logger.getLogger(RedisMetrics.class);
    private static final long INTERVAL_MS = 5_000;
    private static final long ANSWER_MS = 2_000;
    private static final List<String> WRITES = List.of("aof_last_write_status",
            "aof_last_bgrewrite_status", "rdb_last_bgsave_status");

    private final Router router;
    private final RedisStartup startup;
    private final MultiGauge replicas;
    private final MultiGauge writeFailed;
    private final MultiGauge uncovered;

    /** INFO and, in a cluster, CLUSTER INFO of one master. */
    private record Master(String endpoint, Map<String, String> info) {

        private static Master of(String endpoint, String text) {
            Map<String, String> info = text.lines().filter(line -> line.indexOf(':') > 0)
                    .collect(Collectors.toMap(line -> line.substring(0, line.indexOf(':')),
                            line -> line.substring(line.indexOf(':') + 1).trim(),
                            (first, second) -> first));
            return new Master(endpoint, info);
        }

        private boolean isInCluster() {
            return "1".equals(info.get("cluster_enabled"));
        }

        /** Hash slots without a master, as this master sees the cluster. */
        private long uncoveredSlots() {
            return Slots.COUNT - Long.parseLong(
                    info.getOrDefault("cluster_slots_ok", Integer.toString(Slots.COUNT)));
        }

        private long onlineReplicas() {
            return info.entrySet().stream().filter(entry -> entry.getKey().matches("slave\\d+")
                    && entry.getValue().contains("state=online")).count();
        }

        /** Whether the last write of one of its files failed. */
        private int failedWrites() {
            return WRITES.stream().allMatch(name -> info.getOrDefault(name, "ok").equals("ok"))
                    ? 0 : 1;
        }
    }

    @Inject
    RedisMetrics(Router router, RedisStartup startup, MeterRegistry registry) {
        this.router = router;
        this.startup = startup;
        this.replicas = MultiGauge.builder("rush.redis.replicas")
                .description("Replicas that follow a master").register(registry);
        this.writeFailed = MultiGauge.builder("rush.redis.write.failed")
                .description("1 while the last write of a master's AOF or snapshot failed")
                .register(registry);
        this.uncovered = MultiGauge.builder("rush.redis.slots.uncovered")
                .description("Hash slots that no master serves").register(registry);
    }

    void start(@Observes StartupEvent event) {
        router.background().run(() -> router.background().context()
                .setPeriodic(INTERVAL_MS, ignored -> poll()));
    }

    private void poll() {
        if (!startup.isReached()) {
            return;
        }
        Map<Endpoint, Master> masters = new ConcurrentHashMap<>();
        List<Future<Void>> replies = new ArrayList<>();
        router.topology().masters().forEach(endpoint -> replies.add(info(endpoint)
                .onSuccess(text -> masters.put(
                        endpoint, Master.of(endpoint.toString(), text)))
                .onFailure(failure -> LOG.debugf(
                        "%s does not answer INFO: %s", endpoint, failure.getMessage()))
                .mapEmpty()));
        Future.join(replies).onComplete(done -> report(List.copyOf(masters.values())));
    }

    /** INFO and, from a node of a cluster, CLUSTER INFO. */
    private Future<String> info(Endpoint endpoint) {
        return send(endpoint, Command.INFO).compose(info ->
                !info.contains("cluster_enabled:1") ? Future.succeededFuture(info)
                        : send(endpoint, Command.CLUSTER, "INFO")
                                .map(cluster -> info + "\r\n" + cluster));
    }

    private Future<String> send(Endpoint endpoint, Command command, String... args) {
        Promise<Response> answer = router.background().context().promise();
        long timer = router.background().context().setTimer(ANSWER_MS,
                late -> answer.tryFail("no answer in time"));
        router.background().executeOn(endpoint, command, args)
                .onSuccess(answer::tryComplete).onFailure(answer::tryFail);
        return answer.future().map(Response::toString).onComplete(
                result -> router.background().context().owner().cancelTimer(timer));
    }

    private void report(List<Master> masters) {
        List<Master> inCluster = masters.stream().filter(Master::isInCluster).toList();
        replicas.register(rows(inCluster, Master::onlineReplicas), true);
        writeFailed.register(rows(masters, Master::failedWrites), true);
        // The worst view of any master: an isolated one does not see the slots of the others.
        uncovered.register(inCluster.stream().map(Master::uncoveredSlots)
                .max(Long::compare).stream().<MultiGauge.Row<?>>map(
                        slots -> MultiGauge.Row.of(Tags.empty(), slots)).toList(), true);
    }

    private static List<MultiGauge.Row<?>> rows(
            List<Master> masters, ToLongFunction<Master> value) {
        return masters.stream().<MultiGauge.Row<?>>map(master -> MultiGauge.Row.of(
                Tags.of("master", master.endpoint), value.applyAsLong(master))).toList();
    }
}
