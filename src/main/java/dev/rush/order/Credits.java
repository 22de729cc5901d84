package dev.rush.order;

import dev.rush.RushConfig;
import dev.rush.order.sql.Sql;
import dev.rush.order.sql.SqlArray;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.RedisCommands;
import dev.rush.redis.cluster.RedisStartup;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * Giving units back to Redis. The ledger has ended the order first and marked its credit pending;
 * the script credits each order once, however often it is called; then the mark is taken off. What
 * stays pending is tried again, by any pod that can, until it is done. A partition that cannot be
 * reached holds up no other's.
 */
@Singleton
public class Credits {

    private static final Logger LOG = Logger.getLogger(Credits.class);
    private static final int BATCH = 500;
    private static final long RETRY_MS = 1_000;
    private static final Sql MARK_DONE = Sql.named("mark-credits-done", """
            UPDATE orders SET credit = 'done'
            WHERE id = ANY (?::uuid[]) AND credit = 'pending'""");
    private static final Sql PENDING = Sql.named("pending-credits", """
            SELECT o.id, o.sale, o.user_id, o.partition, o.status = 'expired'
            FROM (SELECT id, row_number() OVER (PARTITION BY partition ORDER BY ended_at)
                    AS turn
                FROM orders WHERE credit = 'pending' AND partition <> ALL (?)
                    AND ended_at < now() - interval '1 second'
                ORDER BY turn LIMIT ?) AS chosen
            JOIN orders o ON o.id = chosen.id""");

    private final Ledger ledger;
    private final RedisCommands redis;
    private final Partitions partitions;
    private final Supplier<Set<Integer>> refusedNow;
    private final Event<StockReturned> events;
    private final boolean active;
    private final ScheduledExecutorService scheduler =
            Executors.newSingleThreadScheduledExecutor(task -> {
                Thread thread = new Thread(task, "credits");
                thread.setDaemon(true);
                return thread;
            });

    @Inject
    Credits(Ledger ledger, RedisCommands redis, Partitions partitions, RedisStartup startup,
            Event<StockReturned> events, RushConfig config) {
        this(ledger, redis, partitions, startup::refused, events, config);
    }

    /**
     * Gives back through a Redis.
     *
     * @param refusedNow partitions whose credits are left to other pods now
     */
    Credits(Ledger ledger, RedisCommands redis, Partitions partitions,
            Supplier<Set<Integer>> refusedNow, Event<StockReturned> events, RushConfig config) {
        this.ledger = ledger;
        this.redis = redis;
        this.partitions = partitions;
        this.refusedNow = refusedNow;
        this.events = events;
        this.active = config.orders().sink().stores() && config.role().writes();
    }

    /**
     * An order whose units are to be given back, to the partition that gave them.
     *
     * @param expired whether it was not paid in time, else it was returned
     */
    public record Due(UUID order, String sale, String user, int partition, boolean expired) {
    }

    void start(@Observes StartupEvent event) {
        if (active) {
            scheduler.scheduleWithFixedDelay(
                    this::retry, RETRY_MS, RETRY_MS, TimeUnit.MILLISECONDS);
        }
    }

    void stop(@Observes ShutdownEvent event) {
        scheduler.shutdownNow();
    }

    /**
     * Gives back what these orders took and takes the marks off. It may be called any number of
     * times for one order; should it fail for some, their credit stays pending and is tried again
     * by itself.
     *
     * @return the script's word for each order: credited, repeated, unknown-order or unknown-sale
     */
    public CompletableFuture<Map<UUID, String>> give(List<Due> due) {
        Map<Shard, List<Due>> byShard = new LinkedHashMap<>();
        due.forEach(order -> byShard.computeIfAbsent(new Shard(order.sale,
                partitions.all().get(order.partition)), shard -> new ArrayList<>()).add(order));
        Map<UUID, String> words = new LinkedHashMap<>();
        List<CompletableFuture<Void>> calls = new ArrayList<>();
        byShard.forEach((shard, orders) -> calls.add(credit(shard, orders).thenAccept(replies -> {
            synchronized (words) {
                for (int i = 0; i < orders.size(); i++) {
                    words.put(orders.get(i).order, replies.get(i));
                }
            }
        })));
        return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
                .handle((done, failure) -> failure)
                .thenCompose(failure -> markDone(words.keySet()).thenCompose(done ->
                        failure == null ? CompletableFuture.completedFuture(words)
                                : CompletableFuture.failedFuture(failure)));
    }

    private CompletableFuture<Void> markDone(Collection<UUID> orders) {
        return orders.isEmpty() ? CompletableFuture.completedFuture(null)
                : ledger.call(connection -> {
                    MARK_DONE.update(connection, SqlArray.ids(orders));
                    return null;
                });
    }

    private record Shard(String sale, Partition partition) {
    }

    private CompletableFuture<List<String>> credit(Shard shard, List<Due> orders) {
        String sale = shard.sale;
        List<String> args = new ArrayList<>(3 * orders.size());
        for (Due order : orders) {
            args.add(order.user);
            args.add(order.order.toString());
            args.add(order.expired ? "e" : "c");
        }
        return redis.script(OrderScripts.CREDIT,
                shard.partition.keys().sale(sale, "conf", "stock", "buyers"), args)
                .thenApply(reply -> {
                    events.fire(new StockReturned(sale));
                    return reply.texts();
                });
    }

    /** One try of what is pending. */
    void retry() {
        if (!ledger.isReady()) {
            return;
        }
        try {
            List<Due> due = ledger.transact(connection ->
                    pending(connection, refusedNow.get(), BATCH));
            if (!due.isEmpty()) {
                give(due).join();
            }
        } catch (LedgerFailure | CompletionException e) {
            LOG.debugf("Credits have to wait: %s", e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("Credits could not be given", e);
        }
    }

    /**
     * Those of a while ago: fresh ones are being given by whoever ended the order. The oldest of
     * every partition come first, then the second of each, so that none of them takes all places.
     *
     * @param refused partitions that are left out
     */
    static List<Due> pending(Connection connection, Set<Integer> refused, int most)
            throws SQLException {
        return PENDING.list(connection, row -> new Due(row.getObject(1, UUID.class),
                row.getString(2), row.getString(3), row.getInt(4), row.getBoolean(5)),
                SqlArray.integers(refused), most);
    }
}
