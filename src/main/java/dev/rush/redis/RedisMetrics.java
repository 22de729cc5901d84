package dev.rush.redis;

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
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jboss.logging.Logger;

/**
 * How the masters of a Redis fare, as their INFO says, so that no exporter is needed. A master that
 * does not answer has no series; that pods do not reach it is {@code rush_redis_reachable}.
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

    /** What the INFO of one master says. */
    private record Master(String endpoint, Map<String, String> info) {

        private static Master of(String endpoint, String text) {
            Map<String, String> info = text.lines().filter(line -> line.indexOf(':') > 0)
                    .collect(Collectors.toMap(line -> line.substring(0, line.indexOf(':')),
                            line -> line.substring(line.indexOf(':') + 1).trim(),
                            (first, second) -> first));
            return new Master(endpoint, info);
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
                .description("Hash slots for which this pod knows no master").register(registry);
    }

    void start(@Observes StartupEvent event) {
        router.background().run(() -> router.background().context()
                .setPeriodic(INTERVAL_MS, ignored -> look()));
    }

    private void look() {
        if (!startup.isReached()) {
            return;
        }
        Topology topology = router.topology();
        Map<Endpoint, Master> masters = new ConcurrentHashMap<>();
        List<Future<Void>> asked = new ArrayList<>();
        topology.masters().forEach(endpoint -> asked.add(info(endpoint)
                .onSuccess(text -> masters.put(endpoint, Master.of(endpoint.toString(), text)))
                .onFailure(failure -> LOG.debugf(
                        "%s tells no INFO: %s", endpoint, failure.getMessage()))
                .mapEmpty()));
        Future.join(asked).onComplete(done -> report(topology, List.copyOf(masters.values())));
    }

    private Future<String> info(Endpoint endpoint) {
        Promise<Response> answer = router.background().context().promise();
        long timer = router.background().context().setTimer(ANSWER_MS,
                late -> answer.tryFail("no answer in time"));
        router.background().executeOn(endpoint, Command.INFO)
                .onSuccess(answer::tryComplete).onFailure(answer::tryFail);
        return answer.future().map(Response::toString).onComplete(
                result -> router.background().context().owner().cancelTimer(timer));
    }

    private void report(Topology topology, List<Master> masters) {
        replicas.register(masters.stream()
                .filter(master -> "1".equals(master.info.get("cluster_enabled")))
                .<MultiGauge.Row<?>>map(master -> MultiGauge.Row.of(
                        Tags.of("master", master.endpoint), master.onlineReplicas())).toList(),
                true);
        writeFailed.register(masters.stream().<MultiGauge.Row<?>>map(master ->
                MultiGauge.Row.of(Tags.of("master", master.endpoint), master.failedWrites()))
                .toList(), true);
        long missing = IntStream.range(0, Slots.COUNT)
                .filter(slot -> topology.master(slot) == null).count();
        uncovered.register(List.of(MultiGauge.Row.of(Tags.empty(), missing)), true);
    }
}
