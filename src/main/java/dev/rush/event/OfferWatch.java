package dev.rush.event;

import dev.rush.RushConfig;
import dev.rush.event.WatchLag.Part;
import dev.rush.ledger.Journal;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.PeriodicTask;
import dev.rush.ledger.Position;
import dev.rush.ledger.WatchedOffers;
import dev.rush.ledger.WatchedOffers.Due;
import dev.rush.ledger.WatchedOffers.Opened;
import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Partitions;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Records changes of sales and rains that no caller makes, about once a second, on the leading pod.
 * Opening and closing follow Redis's clock and the terms in the ledger; they wait while a change of
 * the terms has not reached the ledger. Selling out follows the ledger. A round reads what is due
 * and a page of open sales and rains, so its cost does not grow with what was ever stored.
 */
@Singleton
class OfferWatch {

    private static final Logger LOG = Logger.getLogger(OfferWatch.class);
    private static final String LEASE = "watch";
    private static final long PAUSE_MS = 1_000;
    private static final long LEASE_MS = 5_000;
    /** Time until an offer is checked again after Redis did not return its terms. */
    private static final long RECHECK_MS = 5_000;
    /** Time until an offer with a pending change is checked again, unless that arrives first. */
    private static final long CHANGE_MS = 1_000;
    private static final int DUE_MAX = 200;
    private static final int OPENED_MAX = 1_000;
    private static final String FIRST = "";
    /** Maximum number of consecutive rounds without a pause. */
    private static final int ROUNDS_MAX = 20;

    private final Ledger ledger;
    private final LeaderLease lease;
    private final RedisCommands redis;
    private final Partitions partitions;
    private final boolean active;
    private final PeriodicTask task;
    private final WatchLag lag;
    /** The last id of the previous page, of sales (true) and of rains (false). */
    private final Map<Boolean, String> after = new HashMap<>();
    /** What the latest round found due. */
    private List<Due> latest = List.of();
    private int rounds;
    /** Whether the next round is left to another pod. */
    private boolean passesNext;

    /**
     * The state of a sale or rain in Redis.
     *
     * @param nowMs    lower bound of the time at which the terms were read
     * @param isLoaded whether Redis has loaded it; it may be over
     * @param version  of its latest change
     */
    private record Reading(long nowMs, boolean isLoaded, long version) {
    }

    @Inject
    OfferWatch(Ledger ledger, LeaderLease lease, RedisCommands redis, Partitions partitions,
            RushConfig config, MeterRegistry registry) {
        this.ledger = ledger;
        this.lease = lease;
        this.redis = redis;
        this.partitions = partitions;
        this.active = config.orders().sink().stores() && config.role().writes();
        this.task = new PeriodicTask("watch", PAUSE_MS, this::round);
        this.lag = new WatchLag(registry);
    }

    void start(@Observes StartupEvent event) {
        if (active) {
            task.start();
        }
    }

    void stop(@Observes ShutdownEvent event) {
        task.close();
    }

    /** Runs a round, unless another pod leads. Returns whether more is due now. */
    boolean round() {
        boolean passes = passesNext;
        passesNext = false;
        if (passes || !ledger.isReady()) {
            return false;
        }
        boolean leads = lease.take(LEASE, LEASE_MS);
        lag.lead(leads);
        if (!leads) {
            return false;
        }
        ledger.transactOrNull((connection, ledgerState) -> {
            if (ledgerState.checked()) {
                Position end = EventReader.end(connection, ledgerState.epoch());
                lag.readable(end, Journal.isBeyond(connection, ledgerState,
                        new Position(ledgerState.epoch(), end.xact() + 1, 0)));
            }
            return null;
        });
        boolean isMore = checkDue() | checkUnits(true) | checkUnits(false);
        passesNext = lease.releaseIfPartial(LEASE);
        rounds = isMore && !passesNext && rounds < ROUNDS_MAX ? rounds + 1 : 0;
        return rounds > 0;
    }

    /**
     * Opens and closes what is due. Returns whether more may be due; offers that stay due because
     * clocks differ do not count.
     */
    private boolean checkDue() {
        lag.begin(Part.DUE);
        Set<Integer> refused = lease.refused();
        Map<Partition, CompletableFuture<Long>> clocks = new HashMap<>();
        Map<Due, CompletableFuture<Reading>> readings = new LinkedHashMap<>();
        List<Due> page = ledger.transact((connection, ledgerState) ->
                WatchedOffers.due(connection, DUE_MAX));
        for (Due due : page) {
            Partition partition = partitions.of(due.id());
            readings.put(due, refused.contains(partition.index())
                    ? CompletableFuture.completedFuture(null)
                    : clocks.computeIfAbsent(partition, this::clock).thenCompose(now ->
                            read(due, partition, now)));
        }
        readings.forEach((due, reading) -> recordDue(due, join(due, reading)));
        if (page.size() < DUE_MAX) {
            lag.end(Part.DUE);
        }
        boolean isMore = page.size() == DUE_MAX && !page.equals(latest);
        latest = page;
        return isMore;
    }

    private CompletableFuture<Long> clock(Partition partition) {
        return redis.command("TIME", partition.keys()).thenApply(time ->
                time.at(0).number() * 1000 + time.at(1).number() / 1000);
    }

    private CompletableFuture<Reading> read(Due due, Partition partition, long nowMs) {
        Keys conf = due.isSale() ? partition.keys().sale(due.id(), "conf")
                : partition.keys().rain(due.id(), "conf");
        return redis.read("HMGET", conf, "definition", "loading", "control", "schedule")
                .thenApply(terms -> new Reading(nowMs,
                        !terms.at(0).isNull() && terms.at(1).isNull(),
                        Math.max(number(terms.at(2)), number(terms.at(3)))));
    }

    private static long number(Reply word) {
        return word.isNull() ? 0 : Long.parseLong(word.text());
    }

    /** Null if Redis does not answer. */
    private static @Nullable Reading join(Due due, CompletableFuture<Reading> reading) {
        try {
            return reading.join();
        } catch (CompletionException e) {
            LOG.debugf("The times of %s cannot be checked now: %s", due.id(), e.getMessage());
            return null;
        }
    }

    private void recordDue(Due due, @Nullable Reading reading) {
        ledger.transactOrNull((connection, ledgerState) -> {
            if (reading != null && reading.isLoaded) {
                if (!WatchedOffers.reach(connection, ledgerState, due.isSale(), due.id(),
                        reading.nowMs, reading.version)) {
                    WatchedOffers.postpone(connection, due, CHANGE_MS);
                }
            } else {
                WatchedOffers.absent(connection, ledgerState, due, RECHECK_MS);
            }
            return null;
        });
    }

    /** Checks a page of open offers for sold-out. Returns whether there are more pages. */
    private boolean checkUnits(boolean isSale) {
        Part part = isSale ? Part.SALES : Part.RAINS;
        String last = after.getOrDefault(isSale, FIRST);
        if (last.equals(FIRST)) {
            lag.begin(part);
        }
        List<Opened> page = ledger.transact((connection, ledgerState) ->
                WatchedOffers.opened(connection, isSale, last, OPENED_MAX));
        page.stream().filter(Opened::hasChanged).forEach(offer ->
                ledger.transactOrNull((connection, ledgerState) -> {
                    WatchedOffers.units(connection, ledgerState, isSale, offer.id());
                    return null;
                }));
        boolean isMore = page.size() == OPENED_MAX;
        after.put(isSale, isMore ? page.get(OPENED_MAX - 1).id() : FIRST);
        if (!isMore) {
            lag.end(part);
        }
        return isMore;
    }
}
