package dev.rush.redis.cluster;

import dev.rush.RushConfig;
import dev.rush.redis.Partition;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.quarkus.runtime.StartupEvent;
import io.vertx.redis.client.Command;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;
import org.jboss.logging.Logger;

/**
 * Recent memory usage of each Redis master. A master that reaches its {@code maxmemory} refuses
 * every script that adds anything, so the backlog must stop growing before that: from {@code
 * rush.backlog-bytes} on, its partitions hold no more waiting orders than one call adds, and sell
 * at the ledger's speed. A purchase reads the cached value and makes no extra call to Redis.
 */
@Singleton
public class MasterMemory {

    private static final Logger LOG = Logger.getLogger(MasterMemory.class);
    private static final long INTERVAL_MS = 500;

    private final Router router;
    private final long backlogBytes;
    private final String backlogMax;
    private final String backlogWhenTight;
    private final MultiGauge used;
    private final MultiGauge limit;
    private final Map<Endpoint, Usage> usages = new ConcurrentHashMap<>();
    /** Masters with a pending request; used only on the background event loop. */
    private final Set<Endpoint> pending = new HashSet<>();
    /** Masters with registered gauges. */
    private Set<Endpoint> registered = Set.of();
    private boolean refused;

    @Inject
    MasterMemory(Router router, RushConfig config, MeterRegistry registry) {
        this.router = router;
        this.backlogBytes = config.backlogBytes();
        boolean streams = config.orders().sink().streams();
        this.backlogMax = streams ? Long.toString(config.backlog()) : "0";
        this.backlogWhenTight = streams
                ? Long.toString(Math.min(config.backlog(), config.batch().size())) : "0";
        this.used = MultiGauge.builder("rush.redis.memory.used").baseUnit("bytes")
                .description("Memory that counts against a master's maxmemory").register(registry);
        this.limit = MultiGauge.builder("rush.redis.memory.max").baseUnit("bytes")
                .description("A master's maxmemory; 0: none").register(registry);
    }

    /**
     * Memory usage of a master.
     *
     * @param used bytes that count against the limit
     * @param max  its maxmemory in bytes; 0 if it has none
     */
    record Usage(long used, long max) {

        /** Parses {@code INFO memory}. */
        static Usage of(String info) {
            return new Usage(field(info, "used_memory") - field(info, "mem_not_counted_for_evict"),
                    field(info, "maxmemory"));
        }

        private static long field(String info, String name) {
            for (String line : info.split("\r?\n")) {
                if (line.startsWith(name + ":")) {
                    return Long.parseLong(line.substring(name.length() + 1).strip());
                }
            }
            return 0;
        }

        /**
         * Whether the backlog must not grow here any more.
         *
         * @param bound the limit in bytes; 0: three quarters of maxmemory
         */
        boolean isTight(long bound) {
            long safe = max == 0 ? Long.MAX_VALUE
                    : bound == 0 ? max / 4 * 3 : max / 10 * 9;
            return used >= (bound == 0 ? safe : Math.min(bound, safe));
        }
    }

    void start(@Observes StartupEvent event) {
        router.background().run(() -> {
            poll();
            router.background().context().setPeriodic(INTERVAL_MS, again -> poll());
        });
    }

    /**
     * The number of orders that may wait in a partition now, as an argument of the scripts that
     * accept orders; 0 if orders enter no stream.
     */
    public String backlogMax(Partition partition) {
        Endpoint master = router.topology().master(partition.slot());
        Usage usage = master == null ? null : usages.get(master);
        return usage != null && usage.isTight(backlogBytes) ? backlogWhenTight : backlogMax;
    }

    private void poll() {
        Set<Endpoint> masters = router.topology().masters();
        usages.keySet().retainAll(masters);
        if (!masters.equals(registered)) {
            registered = masters;
            used.register(rows(Usage::used), true);
            limit.register(rows(Usage::max), true);
        }
        for (Endpoint master : masters) {
            if (pending.add(master)) {
                request(master);
            }
        }
    }

    private void request(Endpoint master) {
        router.background().executeOn(master, Command.INFO, "memory").onComplete(result -> {
                    pending.remove(master);
                    if (result.succeeded()) {
                        usages.put(master, Usage.of(result.result().toString()));
                    } else if (!refused && ErrorReplies.classify(result.cause()).getMessage()
                            .startsWith("NOPERM")) {
                        refused = true;
                        LOG.warn("This user of Redis may not call INFO: waiting orders are "
                                + "bounded by rush.backlog only, not by memory");
                    }
                });
    }

    private List<MultiGauge.Row<?>> rows(ToDoubleFunction<Usage> value) {
        return registered.stream().<MultiGauge.Row<?>>map(master -> MultiGauge.Row.of(
                Tags.of("master", master.toString()), usages, all -> {
                    Usage usage = all.get(master);
                    return usage == null ? Double.NaN : value.applyAsDouble(usage);
                })).toList();
    }
}
