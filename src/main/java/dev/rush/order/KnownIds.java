package dev.rush.order;

import dev.rush.RushConfig;
import dev.rush.order.sql.Sql;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.Shards;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jboss.logging.Logger;

/**
 * The sales and rains that the ledger knows as loaded, as a copy in this pod. It lets a purchase
 * tell a sale that Redis lost from one that never was, without a query on its path.
 */
@Singleton
public class KnownIds {

    private static final Logger LOG = Logger.getLogger(KnownIds.class);
    private static final long REFRESH_MS = 1_000;
    private static final Sql CHANGED = Sql.named("sales-and-rains-changed", """
            SELECT true, sale, GREATEST(loaded_at, retired_at), state, cardinality(partitions)
            FROM sales WHERE loaded_at > ? OR retired_at > ?
            UNION ALL
            SELECT false, rain, GREATEST(loaded_at, retired_at), state, 1 FROM rains
            WHERE loaded_at > ? OR retired_at > ?""");

    private final Ledger ledger;
    private final Partitions partitions;
    /** Sales, and how many shards each has. */
    private final Map<String, Integer> sales = new ConcurrentHashMap<>();
    private final Set<String> rains = ConcurrentHashMap.newKeySet();
    private final Set<String> retiredSales = ConcurrentHashMap.newKeySet();
    private final Set<String> retiredRains = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService scheduler =
            Executors.newSingleThreadScheduledExecutor(task -> {
                Thread thread = new Thread(task, "known-ids");
                thread.setDaemon(true);
                return thread;
            });
    private final Set<Integer> splitPartitions = ConcurrentHashMap.newKeySet();
    private volatile Set<Integer> busyPartitions = Set.of();
    private volatile IntConsumer onBusy = index -> { };
    private Instant last = Instant.EPOCH;

    @Inject
    KnownIds(Ledger ledger, Partitions partitions, RushConfig config) {
        this.ledger = ledger;
        this.partitions = partitions;
    }

    void start(@Observes StartupEvent event) {
        if (ledger.isWanted()) {
            scheduler.scheduleWithFixedDelay(this::refresh, 0, REFRESH_MS, TimeUnit.MILLISECONDS);
        }
    }

    void stop(@Observes ShutdownEvent event) {
        scheduler.shutdownNow();
    }

    /** Whether the ledger knows this sale as loaded; at most about a second late. */
    public boolean hasSale(String sale) {
        return sales.containsKey(sale);
    }

    /** Where a sale lies that is known; one that is not known has one shard. */
    public Shards shards(String sale) {
        return partitions.shards(sale, sales.getOrDefault(sale, 1));
    }

    /** Whether the ledger knows this rain as loaded; at most about a second late. */
    public boolean hasRain(String rain) {
        return rains.contains(rain);
    }

    /** Whether the ledger knows this sale as over and removed from Redis, or about to be. */
    public boolean isRetiredSale(String sale) {
        return retiredSales.contains(sale);
    }

    /** Whether the ledger knows this rain as over and removed from Redis, or about to be. */
    public boolean isRetiredRain(String rain) {
        return retiredRains.contains(rain);
    }

    /** The partitions in which any of them lies. */
    Set<Integer> partitions() {
        return busyPartitions;
    }

    /** The partitions in which a sale of several shards lies. */
    public Set<Integer> splitPartitions() {
        return splitPartitions;
    }

    /** Whom to tell of a partition that has its first sale or rain. */
    void onBusy(IntConsumer listener) {
        onBusy = listener;
    }

    /** Takes note of a sale that this pod has just loaded. */
    void addSale(String sale, Shards shards) {
        sales.put(sale, shards.count());
        shards.partitions().forEach(this::addPartition);
        if (shards.isSplit()) {
            shards.partitions().forEach(partition -> splitPartitions.add(partition.index()));
        }
    }

    /** Takes note of a rain that this pod has just loaded. */
    void addRain(String rain) {
        rains.add(rain);
        addPartition(partitions.of(rain));
    }

    private void addPartition(Partition partition) {
        int index = partition.index();
        synchronized (this) {
            Set<Integer> busy = new HashSet<>(busyPartitions);
            if (!busy.add(index)) {
                return;
            }
            busyPartitions = Set.copyOf(busy);
        }
        onBusy.accept(index);
    }

    private void refresh() {
        if (!ledger.isReady()) {
            return;
        }
        try {
            // A transaction may become visible after a later one: look back a little.
            Timestamp since = Timestamp.from(last.equals(Instant.EPOCH)
                    ? last : last.minusSeconds(60));
            for (Instant at : ledger.transact(connection -> CHANGED.list(
                    connection, this::takeNote, since, since, since, since))) {
                last = at.isAfter(last) ? at : last;
            }
        } catch (RuntimeException e) {
            LOG.debugf("Known sales could not be read: %s", e.getMessage());
        }
    }

    /** Takes note of one that was loaded or retired, and says when. */
    private Instant takeNote(ResultSet row) throws SQLException {
        String id = row.getString(2);
        boolean sale = row.getBoolean(1);
        if (sale && !hasSale(id)) {
            addSale(id, partitions.shards(id, row.getInt(5)));
        } else if (!sale && !hasRain(id)) {
            addRain(id);
        }
        Set<String> retired = sale ? retiredSales : retiredRains;
        if (LedgerState.isRetired(row.getString(4))) {
            retired.add(id);
        } else {
            retired.remove(id);
        }
        return row.getTimestamp(3).toInstant();
    }
}
