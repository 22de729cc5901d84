package dev.rush.order;

import dev.rush.RushConfig;
import dev.rush.http.Caller;
import dev.rush.http.ProblemException;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.Offer;
import dev.rush.ledger.OfferCache;
import dev.rush.ledger.PeriodicTask;
import dev.rush.metrics.KnownGauge;
import dev.rush.order.ParkedRows.Parked;
import dev.rush.order.ParkedRows.Wanted;
import dev.rush.order.ReturnLookups.Found;
import dev.rush.order.ReturnRows.Request;
import dev.rush.order.Returns.Result;
import dev.rush.redis.RedisFailure;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Retries parked returns until the ledger has their order, and raises an alarm for returns that
 * wait too long. A return by a key that was never used ends as void. All writer pods share the
 * work, and each retries a few at a time; a failure delays no returns of other sales.
 */
@Singleton
class ParkedReturns {

    private static final Logger LOG = Logger.getLogger(ParkedReturns.class);
    private static final int BATCH = 100;
    private static final int WORKERS = 4;

    private final OfferCache known;
    private final Ledger ledger;
    private final ReturnLookups lookups;
    private final Returns returns;
    private final long retryMs;
    private final long alarmAfterMs;
    private final boolean active;
    private final PeriodicTask task;
    private final ThreadPoolExecutor workers;
    private final KnownGauge parkedNow;
    private final KnownGauge alarmedNow;

    @Inject
    ParkedReturns(OfferCache known, Ledger ledger, ReturnLookups lookups, Returns returns,
            RushConfig config, MeterRegistry registry) {
        this.known = known;
        this.ledger = ledger;
        this.lookups = lookups;
        this.returns = returns;
        this.retryMs = Math.max(10, config.returns().retry().toMillis());
        this.alarmAfterMs = config.returns().alarmAfter().toMillis();
        this.active = config.orders().sink().stores() && config.role().writes();
        this.task = new PeriodicTask("parked-returns", Math.max(10, retryMs / 2), this::round);
        this.workers = new ThreadPoolExecutor(WORKERS, WORKERS, retryMs, TimeUnit.MILLISECONDS,
                new LinkedBlockingQueue<>(), new DefaultThreadFactory("parked-return", true));
        this.workers.allowCoreThreadTimeOut(true);
        this.parkedNow = new KnownGauge(registry, "rush.returns.parked", null,
                "Returns that wait for their order");
        this.alarmedNow = new KnownGauge(registry, "rush.returns.alarmed", null,
                "Returns that have waited for too long");
    }

    void start(@Observes StartupEvent event) {
        if (active) {
            task.start();
        }
    }

    void stop(@Observes ShutdownEvent event) {
        task.close();
        workers.shutdownNow();
    }

    /** Runs one round. Returns whether there is more to do at once. */
    boolean round() {
        try {
            return tryDue();
        } finally {
            count();
        }
    }

    private void count() {
        try {
            ParkedRows.Counts counts = ledger.transact(
                    (connection, ledgerState) -> ParkedRows.count(connection));
            parkedNow.set(counts.parked());
            alarmedNow.set(counts.alarmed());
        } catch (LedgerFailure e) {
            // Counts from before the ledger went down are no longer valid.
            parkedNow.forget();
            alarmedNow.forget();
        }
    }

    private boolean tryDue() {
        List<Parked> due = ledger.transact(
                (connection, ledgerState) -> ParkedRows.claim(connection, retryMs, BATCH));
        try {
            tryAll(due);
        } finally {
            alarm();
        }
        return due.size() == BATCH;
    }

    /** Retries a few concurrently, because each waits for the ledger and Redis in turn. */
    private void tryAll(List<Parked> due) {
        Set<String> unreachable = ConcurrentHashMap.newKeySet();
        List<Callable<RuntimeException>> attempts = due.stream()
                .map(parked -> (Callable<RuntimeException>) () -> attempt(parked, unreachable))
                .toList();
        RuntimeException first = null;
        try {
            for (Future<RuntimeException> ended : workers.invokeAll(attempts)) {
                RuntimeException failure = ended.get();
                first = first == null ? failure : first;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
        if (first != null) {
            throw first;
        }
    }

    /**
     * Retries a return, unless a store did not answer for its sale in this batch: every such wait
     * is long.
     *
     * @return why it failed, or null
     */
    private @Nullable RuntimeException attempt(Parked parked, Set<String> unreachable) {
        if (unreachable.contains(parked.sale())) {
            return null;
        }
        try {
            tryAgain(parked);
            return null;
        } catch (RuntimeException e) {
            if (e.getCause() instanceof ProblemException) {
                LOG.debugf("The return %s will be retried: %s", parked.id(), e.getMessage());
                return null;
            }
            if (e.getCause() instanceof RedisFailure
                    || e instanceof LedgerFailure ledgerFailure && ledgerFailure.isOutage()) {
                unreachable.add(parked.sale());
            }
            return e;
        }
    }

    private void alarm() {
        ledger.transact((connection, ledgerState) ->
                ParkedRows.alarm(connection, ledgerState, alarmAfterMs))
                .forEach(late -> LOG.errorf("A return of sale %s has waited since %s: order %s, %s",
                        late.sale(), late.createdAt(), late.order(), late.reason()));
    }

    private void tryAgain(Parked parked) {
        Offer offer = known.readSale(parked.sale());
        // A sale that no store has is being prepared; it has no orders yet.
        if (offer == null || end(offer, parked)) {
            return;
        }
        if (parked.wanted() instanceof Wanted.ByOrder wanted) {
            tryAgain(offer, parked, wanted);
        } else if (parked.wanted() instanceof Wanted.ByKey wanted) {
            tryAgain(offer, parked, wanted);
        }
    }

    private void tryAgain(Offer offer, Parked parked, Wanted.ByOrder wanted) {
        Found found = lookups.order(
                parked.sale(), wanted.order(), parked.user(), parked.anyone()).join();
        if (found instanceof Found.Ended ended) {
            voidWhenLost(offer, parked, ended);
        } else if (found instanceof Found.NotLoaded) {
            explain(parked, ParkedRows.reason(found));
        } else if (found instanceof Found.Unknown) {
            voidWhenLost(offer, parked, wanted.order(),
                    "No store knows the order: it was lost, and there is nothing to return.");
        }
    }

    private void tryAgain(Offer offer, Parked parked, Wanted.ByKey wanted) {
        Found found = lookups.refuse(parked.sale(), parked.user(), wanted.key()).join();
        ledger.transactOrNull((connection, ledgerState) -> {
            ParkedRows.recordRefusal(connection, parked.sale(), parked.user(), wanted.key(), found);
            return null;
        });
        if (found instanceof Found.Ended ended) {
            voidWhenLost(offer, parked, ended);
        } else if (found instanceof Found.Refused) {
            voidWhenDrained(offer, parked, wanted);
        }
    }

    private void voidWhenLost(Offer offer, Parked parked, Found.Ended ended) {
        voidWhenLost(offer, parked, UUID.fromString(ended.order()), ParkedRows.reason(ended));
    }

    /**
     * Ends a return whose order will not reach the ledger, once every loss of the sale is counted
     * and repaired: the order was lost, or it never existed. A waiting return would keep the sale
     * in Redis forever. The order may have reached the ledger meanwhile, so this checks once more.
     */
    private void voidWhenLost(Offer offer, Parked parked, UUID order, String reason) {
        ledger.transactOrNull((connection, ledgerState) -> {
            if (ledgerState.checked() && parked.find(connection, offer.month()) == null
                    && ReturnRows.failedOrderOf(connection, parked.sale(), order) == null
                    && !ReturnRows.isLosing(connection, parked.sale())) {
                ParkedRows.end(connection, ledgerState, parked.id(), reason);
            }
            return null;
        });
    }

    /** Returns the order if the ledger has it. Returns whether the parked return has ended. */
    private boolean end(Offer offer, Parked parked) {
        Request request = new Request(parked.sale(), offer.month(),
                Caller.actingFor(parked.user(), parked.anyone()), parked.actor());
        Result result = ledger.transactOrNull((connection, ledgerState) -> {
            Result ended = Returns.end(connection, ledgerState, request,
                    parked.find(connection, offer.month()));
            if (ended instanceof Result.Refused refused) {
                ParkedRows.end(connection, ledgerState, parked.id(),
                        "Nothing to return: " + refused.problem().code().text() + ".");
            }
            return ended;
        });
        if (result != null) {
            returns.done(result, parked.actor()).join();
        }
        return result != null;
    }

    /**
     * Ends a return whose key can get no purchase any more: Redis refuses the key, the ledger has
     * everything that was in the stream before that, and it has no order under the key.
     */
    private void voidWhenDrained(Offer offer, Parked parked, Wanted.ByKey wanted) {
        if (wanted.after() == null || !lookups.isDrainedPast(
                parked.sale(), parked.user(), wanted.after()).join()
                || end(offer, parked)) {
            return;
        }
        ledger.transactOrNull((connection, ledgerState) -> {
            if (ReturnRows.isFailed(connection, parked.sale(), parked.user(), wanted.key())) {
                ParkedRows.explain(connection, parked.id(), "The order is a dead letter.");
            } else if (ledgerState.checked()
                    && !ReturnRows.isBehind(connection, parked.sale())) {
                ParkedRows.end(connection, ledgerState, parked.id(),
                        "No purchase ever had this key.");
            }
            return null;
        });
    }

    private void explain(Parked parked, String reason) {
        ledger.transactOrNull((connection, ledgerState) -> {
            ParkedRows.explain(connection, parked.id(), reason);
            return null;
        });
    }
}
