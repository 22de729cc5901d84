package dev.rush.sale;

import dev.rush.order.Ticker;
import dev.rush.redis.RedisCommands;
import dev.rush.redis.Shards;
import dev.rush.redis.Steering;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finishes, in the background, what was cut off half way in a sale of several shards that this pod
 * has a view of: transfers that are some seconds old, and a pause, a resume or an end that has not
 * come to all shards.
 */
@Singleton
class ShardKeeper {

    private static final long INTERVAL_MS = 1_000;
    private static final long OLD_MS = 3_000;
    /** What one round asks of Redis at most, unless one sale alone has more shards. */
    private static final int READS_MAX = 120;

    private final SaleViews views;
    private final Transfers transfers;
    private final Sales sales;
    private final Map<String, Long> pending = new ConcurrentHashMap<>();
    /** Sales whose shards did not agree when they were last looked at. */
    private final Set<String> apart = ConcurrentHashMap.newKeySet();
    /** Sales that were closed everywhere or are gone, with nothing on its way. */
    private final Set<String> ended = new HashSet<>();
    private final Ticker ticker = new Ticker("shards", INTERVAL_MS, this::round);
    private int next;

    @Inject
    ShardKeeper(SaleViews views, Transfers transfers, Sales sales, MeterRegistry registry) {
        this.views = views;
        this.transfers = transfers;
        this.sales = sales;
        Gauge.builder("rush.transfers.pending", pending, map ->
                map.values().stream().mapToLong(Long::longValue).sum())
                .description("Transfers between shards that are not finished").register(registry);
    }

    void start(@Observes StartupEvent event) {
        ticker.start();
    }

    void stop(@Observes ShutdownEvent event) {
        ticker.close();
    }

    private boolean round() {
        List<SaleView> split = new ArrayList<>(views.held());
        split.removeIf(view -> !view.shards().isSplit());
        ended.retainAll(split.stream().map(SaleView::sale).toList());
        split.removeIf(view -> ended.contains(view.sale()));
        int reads = 0;
        for (int i = 0; i < split.size() && reads < READS_MAX; i++) {
            SaleView view = split.get(next++ % split.size());
            reads += view.shards().count();
            tend(view.sale(), view.shards());
        }
        return false;
    }

    private void tend(String sale, Shards shards) {
        ShardLook look = transfers.look(sale, shards).join();
        List<Transfer> found = look.pending();
        if (found.isEmpty()) {
            pending.remove(sale);
        } else {
            pending.put(sale, (long) found.size());
        }
        List<Transfer> old = new ArrayList<>(found);
        old.removeIf(transfer -> transfer.ageMs() < OLD_MS);
        transfers.finish(sale, shards, old).join();
        ShardState first = look.states().get(0);
        boolean agree = first == null || !first.isKnown() || look.states().stream()
                .allMatch(state -> state == null || !state.isKnown() || first.agrees(state));
        if (agree) {
            apart.remove(sale);
            if (found.isEmpty() && look.isComplete()
                    && (!first.isKnown() || first.closedAt() > 0)) {
                ended.add(sale);
            }
        } else if (!apart.add(sale)) {
            // Twice in a row: nobody is at it any more, and the others follow the first.
            Steering.Action action = first.closedAt() > 0 ? Steering.Action.CLOSE
                    : first.isPaused() ? Steering.Action.PAUSE : Steering.Action.RESUME;
            RedisCommands.together(shards.partitions().stream().skip(1)
                    .map(shard -> sales.steer(sale, shard, action)).toList()).join();
        }
    }
}
