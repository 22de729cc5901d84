package dev.rush.order;

import dev.rush.RushConfig;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.LedgerProblems;
import dev.rush.ledger.Order;
import dev.rush.ledger.OrderRows;
import dev.rush.ledger.OwedCredit;
import dev.rush.ledger.OwedCredits;
import dev.rush.ledger.Steps;
import dev.rush.order.BuyerRecord.Line;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.RedisCommands;
import dev.rush.redis.cluster.RedisStartup;
import dev.rush.task.LoggedTask;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * Credits units of ended orders to Redis. The ledger first ends the order and owes its units; the
 * script credits each order once, however often it is called; then the ledger stores the credit.
 * Any writer pod retries credits that are still owed. An unreachable partition delays no other.
 */
@Singleton
public class Credits {

    private static final Logger LOG = Logger.getLogger(Credits.class);
    /** Maximum orders of a partition in one round. */
    private static final int BATCH = 100;
    private static final long RETRY_MS = 1_000;
    /** Words after which Redis has the units. */
    private static final Set<String> GIVEN = Set.of("credited", "repeated", "restored");
    /** The sale is over and has left Redis, which needs no units, or Redis has lost it. */
    private static final String UNKNOWN_SALE = "unknown-sale";
    private static final String UNKNOWN_ORDER = "unknown-order";
    private static final String KEY_REUSED = "key-reused";
    private static final String EXPIRED = "e";
    private static final String RETURNED = "c";

    private final Ledger ledger;
    private final RedisCommands redis;
    private final Partitions partitions;
    private final ReportedSteps reported;
    private final Supplier<Set<Integer>> refusedNow;
    private final Event<StockReturned> events;
    private final boolean active;
    private final Set<Integer> underWay = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService scheduler =
            Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("credits", true));

    @Inject
    Credits(Ledger ledger, RedisCommands redis, Partitions partitions, ReportedSteps reported,
            RedisStartup startup, Event<StockReturned> events, RushConfig config) {
        this(ledger, redis, partitions, reported, startup::refused, events, config);
    }

    /**
     * Creates a service that credits units.
     *
     * @param refusedNow partitions whose credits are currently left to other pods
     */
    Credits(Ledger ledger, RedisCommands redis, Partitions partitions, ReportedSteps reported,
            Supplier<Set<Integer>> refusedNow, Event<StockReturned> events, RushConfig config) {
        this.ledger = ledger;
        this.redis = redis;
        this.partitions = partitions;
        this.reported = reported;
        this.refusedNow = refusedNow;
        this.events = events;
        this.active = config.orders().sink().stores() && config.role().writes();
    }

    void start(@Observes StartupEvent event) {
        if (active) {
            scheduler.scheduleWithFixedDelay(new LoggedTask("credit retry", this::retry),
                    RETRY_MS, RETRY_MS, TimeUnit.MILLISECONDS);
        }
    }

    void stop(@Observes ShutdownEvent event) {
        scheduler.shutdownNow();
    }

    private record Shard(String sale, Partition partition) {
    }

    /**
     * Credits the units of orders that have just ended, oldest first, and stores that they are.
     * Expiries are recorded in Redis first; for returns, the caller has done so ({@link
     * ReportedSteps#record}). Calls can be repeated. If it fails for some orders, their
     * units stay owed and are retried automatically.
     *
     * @return Redis's word for each order
     */
    public CompletableFuture<Map<UUID, String>> give(List<OwedCredit> owed) {
        return give(owed, reported::recordExpired);
    }

    private CompletableFuture<Map<UUID, String>> give(List<OwedCredit> owed,
            Function<List<OwedCredit>, CompletableFuture<Boolean>> recordFirst) {
        Map<Shard, List<OwedCredit>> byShard = owed.stream().collect(Collectors.groupingBy(
                credit -> new Shard(credit.sale(), partitions.all().get(credit.partition())),
                LinkedHashMap::new, Collectors.toList()));
        Map<UUID, String> words = new ConcurrentHashMap<>();
        return CompletableFuture.allOf(byShard.entrySet().stream().map(shard ->
                        recordFirst.apply(shard.getValue())
                                .thenCompose(recorded -> give(shard.getKey(), shard.getValue()))
                                .thenAccept(words::putAll))
                        .toArray(CompletableFuture[]::new))
                .handle((done, failure) -> failure)
                .thenCompose(failure -> store(owed, words).thenCompose(done ->
                        failure == null ? CompletableFuture.completedFuture(words)
                                : CompletableFuture.failedFuture(failure)));
    }

    /** Stores in the ledger what was credited; other credits go to the end of the queue. */
    private CompletableFuture<Void> store(List<OwedCredit> owed, Map<UUID, String> words) {
        return words.isEmpty() ? CompletableFuture.completedFuture(null)
                : ledger.call((connection, ledgerState) -> {
                    Map<UUID, String> given = new LinkedHashMap<>();
                    List<OwedCredit> later = new ArrayList<>();
                    for (OwedCredit credit : owed) {
                        String word = words.getOrDefault(credit.order(), "");
                        if (GIVEN.contains(word) || word.equals(UNKNOWN_SALE)
                                && ReturnRows.isRetired(connection, credit.sale())) {
                            given.put(credit.order(), word);
                        } else if (!word.isEmpty()) {
                            later.add(credit);
                        }
                    }
                    Steps.credited(connection, ledgerState, owed, given);
                    if (!later.isEmpty()) {
                        OwedCredits.postpone(connection, later);
                    }
                    return null;
                });
    }

    private CompletableFuture<Map<UUID, String>> give(Shard shard, List<OwedCredit> owed) {
        List<String> args = new ArrayList<>(3 * owed.size());
        owed.forEach(credit -> args.addAll(
                List.of(credit.user(), credit.order().toString(),
                        credit.expired() ? EXPIRED : RETURNED)));
        return redis.script(OrderScripts.CREDIT, keys(shard), args).thenCompose(reply -> {
            events.fire(new StockReturned(shard.sale));
            Map<UUID, String> words = new LinkedHashMap<>();
            List<OwedCredit> unknown = new ArrayList<>();
            for (int i = 0; i < owed.size(); i++) {
                String word = reply.at(i).word();
                words.put(owed.get(i).order(), word);
                if (word.equals(UNKNOWN_ORDER)) {
                    unknown.add(owed.get(i));
                }
            }
            return unknown.isEmpty() ? CompletableFuture.completedFuture(words)
                    : restore(shard, unknown).thenApply(restored -> {
                        words.putAll(restored);
                        return words;
                    });
        });
    }

    private static Partition.Keys keys(Shard shard) {
        return shard.partition.keys().sale(shard.sale, "conf", "stock", "buyers");
    }

    /**
     * Writes orders that Redis does not have into their buyers' records as ended, so that Redis
     * counts them as credited. An order that the ledger does not have stays owed.
     */
    private CompletableFuture<Map<UUID, String>> restore(Shard shard, List<OwedCredit> unknown) {
        return ledger.read((connection, ledgerState) -> {
            List<Order> orders = new ArrayList<>();
            for (OwedCredit credit : unknown) {
                Order order = OrderRows.find(
                        connection, credit.month(), credit.sale(), credit.order());
                if (order != null) {
                    orders.add(order);
                }
            }
            return orders;
        }).thenCompose(orders -> restore(shard, orders, true).thenCompose(words -> {
            List<Order> reused = orders.stream()
                    .filter(order -> KEY_REUSED.equals(words.get(order.id()))).toList();
            return reused.isEmpty() ? CompletableFuture.completedFuture(words)
                    : restore(shard, reused, false).thenApply(again -> {
                        words.putAll(again);
                        return words;
                    });
        }));
    }

    private CompletableFuture<Map<UUID, String>> restore(
            Shard shard, List<Order> orders, boolean withKey) {
        List<String> args = new ArrayList<>(6 * orders.size());
        for (Order order : orders) {
            Line ended = withKey ? Line.of(order) : Line.of(order).withoutKey();
            args.addAll(List.of(order.user(), ended.order(), ended.key(), ended.lines(),
                    ended.state(), ended.text()));
        }
        return redis.script(OrderScripts.RESTORE, keys(shard), args).thenApply(reply -> {
            Map<UUID, String> words = new LinkedHashMap<>();
            for (int i = 0; i < orders.size(); i++) {
                // "repeated a": the order was restored meanwhile, so it can be credited now.
                String word = reply.at(i).word();
                words.put(orders.get(i).id(), word.equals("repeated a") ? word
                        : word.split(" ")[0]);
            }
            return words;
        });
    }

    /** Tries once to credit what is owed. Calls that were started continue asynchronously. */
    void retry() {
        if (!ledger.isReady()) {
            return;
        }
        try {
            List<Integer> free = partitions.all().stream().map(Partition::index)
                    .filter(index -> !underWay.contains(index))
                    .filter(index -> !refusedNow.get().contains(index)).toList();
            ledger.transact((connection, ledgerState) ->
                    OwedCredits.due(connection, ledgerState, free, BATCH)).stream()
                    .collect(Collectors.groupingBy(OwedCredit::partition)).forEach(this::retry);
        } catch (LedgerFailure e) {
            LOG.debugf("Nothing can be credited now: %s", e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("Units could not be credited", e);
        }
    }

    private void retry(int partition, List<OwedCredit> owed) {
        underWay.add(partition);
        // Composed, so that an exception of the call itself also ends it.
        CompletableFuture.completedFuture(owed).thenCompose(due ->
                give(due, reported::recordRetried)).whenComplete((words, failure) -> {
            underWay.remove(partition);
            if (failure != null) {
                LOG.logf(LedgerProblems.isExpected(failure) ? Logger.Level.DEBUG
                        : Logger.Level.ERROR, failure,
                        "Units of partition %d cannot be credited now", partition);
            }
        });
    }
}
