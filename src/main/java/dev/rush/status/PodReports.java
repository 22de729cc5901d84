package dev.rush.status;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.rush.RushConfig;
import dev.rush.offer.OutcomeTally;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.RedisCommands;
import dev.rush.task.LoggedTask;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Stores this pod's report every second, in a hash that all pods share, so that any pod can answer
 * for all. A stopping pod removes its report; that of a dead pod is ignored once it is {@link
 * #STALE} old. If Redis loses reports, they are stored again a second later.
 */
@Singleton
class PodReports {

    /** Allows for differences between the pods' clocks. */
    static final Duration STALE = Duration.ofSeconds(15);
    private static final Logger LOG = Logger.getLogger(PodReports.class);
    private static final Keys PODS = Partitions.STATUS.keys().named("pods");
    private static final long INTERVAL_MS = 1_000;
    private static final long REMOVAL_TIMEOUT_MS = 2_000;
    private static final long SHARED_NANOS = 500_000_000;
    /** Rounds between removals of dead pods' reports; the first removal is at the start. */
    private static final int CLEANUP_ROUNDS = 60;
    /** Maximum number of sales, and of rains, whose outcomes a pod reports. */
    private static final int OFFERS_MAX = 20;

    private final RedisCommands redis;
    private final MeterRegistry registry;
    private final OutcomeTally outcomes;
    private final String role;
    private final String me = host() + ' ' + UUID.randomUUID().toString().substring(0, 8);
    private final Instant startedAt = now();
    private int round;
    private @Nullable CompletableFuture<List<PodReport>> latest;
    private long latestNanos;
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("status", true));

    @Inject
    PodReports(RedisCommands redis, MeterRegistry registry, OutcomeTally outcomes,
            RushConfig config) {
        this.redis = redis;
        this.registry = registry;
        this.outcomes = outcomes;
        this.role = config.role().name().toLowerCase(Locale.ROOT);
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }

    /** Truncated to milliseconds, like all times of the API. */
    static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }

    void start(@Observes StartupEvent event) {
        thread.scheduleWithFixedDelay(new LoggedTask("pod status report", this::store),
                0, INTERVAL_MS, TimeUnit.MILLISECONDS);
    }

    void stop(@Observes ShutdownEvent event) {
        // On the thread that stores reports, so that none is stored after it.
        CompletableFuture.runAsync(() -> {
            thread.shutdown();
            redis.command("HDEL", PODS, me).join();
        }, thread).orTimeout(REMOVAL_TIMEOUT_MS, TimeUnit.MILLISECONDS)
                .exceptionally(failure -> null).join();
    }

    private void store() {
        try {
            redis.command("HSET", PODS, me, report().text()).join();
            if (round++ % CLEANUP_ROUNDS == 0) {
                all();
            }
        } catch (JsonProcessingException | RuntimeException e) {
            LOG.debugf("This pod's status could not be stored: %s", e.getMessage());
        }
    }

    private PodReport report() {
        Figures figures = new Figures(registry);
        return new PodReport(me, role, startedAt.toString(), now().toString(),
                figures.value("rush.redis.reachable", value -> value > 0),
                figures.value("rush.ledger.backlog", Double::longValue),
                figures.value("rush.ledger.lag", value -> value),
                figures.value("rush.books.checked",
                        value -> Instant.ofEpochSecond(value.longValue()).toString()),
                figures.masters(), figures.alarms(), null, null,
                outcomes.sales().latest(OFFERS_MAX), outcomes.rains().latest(OFFERS_MAX));
    }

    /**
     * The latest reports of live pods, by name. Calls within half a second share one answer,
     * because the reports of many pods are large and each open console polls every second.
     */
    synchronized CompletableFuture<List<PodReport>> all() {
        long now = System.nanoTime();
        if (latest == null || now - latestNanos > SHARED_NANOS
                || latest.isCompletedExceptionally()) {
            latest = read();
            latestNanos = now;
        }
        return latest;
    }

    /** Also removes reports of dead pods. Parses off the event loop, which serves purchases. */
    private CompletableFuture<List<PodReport>> read() {
        return redis.command("HGETALL", PODS).thenApplyAsync(reply -> {
            List<PodReport> living = new ArrayList<>();
            List<String> dead = new ArrayList<>();
            Instant oldest = now().minus(STALE);
            reply.pairs().forEach((pod, text) -> {
                PodReport report = PodReport.parse(text);
                if (report != null && Instant.parse(report.asOf()).isAfter(oldest)) {
                    living.add(report);
                } else {
                    dead.add(pod);
                }
            });
            if (!dead.isEmpty()) {
                redis.command("HDEL", PODS, dead.toArray(String[]::new));
            }
            living.sort(Comparator.comparing(PodReport::pod));
            return living;
        }, thread);
    }
}
