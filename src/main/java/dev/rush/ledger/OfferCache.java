package dev.rush.ledger;

import com.github.benmanes.caffeine.cache.Caffeine;
import dev.rush.ledger.sql.Sql;
import dev.rush.redis.Partitions;
import dev.rush.redis.Shards;
import dev.rush.task.LoggedTask;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the sales and rains that are loaded or over in the ledger, about a second stale. With
 * it a purchase can distinguish a sale that Redis lost from one that never existed, and find the
 * partition and month of a sale's rows, without a query. It holds all loaded ones, and up to 10,000
 * retired ones of each kind; others are read from the ledger on demand.
 */
@Singleton
public class OfferCache {

    private static final Logger LOG = Logger.getLogger(OfferCache.class);
    private static final long REFRESH_MS = 1_000;
    private static final int RETIRED_MAX = 10_000;
    /** Not parsed as JSON in SQL, because one invalid definition would fail the whole query. */
    private static final String DURABILITY =
            "substring(definition FROM '\"durability\"\\s*:\\s*\"([a-z]+)\"'), changed";
    private static final String SALE = "SELECT true, sale AS id, month, partitions, state, "
            + DURABILITY + " FROM sales WHERE ";
    private static final String RAIN = "SELECT false, rain AS id, month, ARRAY[partition], state, "
            + DURABILITY + " FROM rains WHERE ";
    private static final String OPEN_STATES = "state IN ('preparing', 'loaded')";
    private static final Sql NOW = Sql.named("snapshot-xmin",
            "SELECT pg_snapshot_xmin(pg_current_snapshot())::text");
    private static final Sql OPEN = Sql.named("open-offers",
            SALE + OPEN_STATES + " UNION ALL " + RAIN + OPEN_STATES);
    private static final Sql CHANGED = Sql.named("changed-offers",
            SALE + "changed >= ?::xid8 UNION ALL " + RAIN + "changed >= ?::xid8");
    private static final String LATEST_RETIRED = "state IN ('retiring', 'retired', 'archived')"
            + " ORDER BY changed DESC LIMIT ?)";
    private static final Sql RETIRED = Sql.named("retired-offers",
            "(" + SALE + LATEST_RETIRED + " UNION ALL (" + RAIN + LATEST_RETIRED);
    private static final Sql ONE_SALE = Sql.named("one-sale", SALE + "sale = ?");
    private static final Sql ONE_RAIN = Sql.named("one-rain", RAIN + "rain = ?");

    private final Ledger ledger;
    private final Partitions partitions;
    private final int retiredMax;
    private final OffersById sales;
    private final OffersById rains;
    private final Set<Integer> busyPartitions = ConcurrentHashMap.newKeySet();
    private final Set<Integer> shardedPartitions = ConcurrentHashMap.newKeySet();
    private final Set<Integer> awaitedPartitions = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService scheduler =
            Executors.newSingleThreadScheduledExecutor(
                    new DefaultThreadFactory("offer-cache", true));
    private volatile IntConsumer onBusy = index -> { };
    /**
     * Used by one thread at a time, like the field below. Each epoch has its own transaction ids.
     */
    private int epoch;
    private @Nullable String since;

    /** Sales or rains by id. */
    private static final class OffersById {
        private final Map<String, Offer> loaded = new ConcurrentHashMap<>();
        private final Map<String, Offer> retired;
        private final int retiredMax;
        private volatile boolean retiredIncomplete;

        OffersById(int retiredMax) {
            this.retiredMax = retiredMax;
            retired = Caffeine.newBuilder().maximumSize(retiredMax)
                    .<String, Offer>build().asMap();
        }

        @Nullable Offer get(String id) {
            Offer offer = loaded.get(id);
            return offer != null ? offer : retired.get(id);
        }

        void put(Offer offer) {
            boolean isRetired = offer.state.isRetired();
            (isRetired ? retired : loaded).put(offer.id, offer);
            (isRetired ? loaded : retired).remove(offer.id);
            if (isRetired && retired.size() >= retiredMax) {
                retiredIncomplete = true;
            }
        }
    }

    /**
     * A sale or rain.
     *
     * @param partitions of its shards, in their order; one for a rain
     * @param durability requested by its definition; null if it requests none
     * @param changed    the transaction that last changed it
     */
    public record Offer(boolean isSale, String id, int month, List<Integer> partitions,
            OfferState state, @Nullable String durability, String changed) {

        /** Whether its definition requests that buyers wait for the ledger. */
        public boolean isAwaited() {
            return "ledger".equals(durability);
        }

        private static Offer of(ResultSet row) throws SQLException {
            Array indexes = row.getArray(4);
            return new Offer(row.getBoolean(1), row.getString(2), row.getInt(3),
                    List.of((Integer[]) indexes.getArray()), OfferState.of(row.getString(5)),
                    row.getString(6), row.getString(7));
        }
    }

    @Inject
    OfferCache(Ledger ledger, Partitions partitions) {
        this(ledger, partitions, RETIRED_MAX);
    }

    /**
     * Creates an empty cache.
     *
     * @param retiredMax maximum number of retired sales, and of retired rains
     */
    OfferCache(Ledger ledger, Partitions partitions, int retiredMax) {
        this.ledger = ledger;
        this.partitions = partitions;
        this.retiredMax = retiredMax;
        this.sales = new OffersById(retiredMax);
        this.rains = new OffersById(retiredMax);
    }

    void start(@Observes StartupEvent event) {
        if (ledger.isConfigured()) {
            scheduler.scheduleWithFixedDelay(
                    new LoggedTask("refresh of sales and rains", this::refresh),
                    0, REFRESH_MS, TimeUnit.MILLISECONDS);
        }
    }

    @PreDestroy
    void stop() {
        scheduler.shutdownNow();
    }

    /** A sale that is loaded or over in the ledger; null if this cache does not have it. */
    public @Nullable Offer sale(String id) {
        return sales.get(id);
    }

    /** A rain that is loaded or over in the ledger; null if this cache does not have it. */
    public @Nullable Offer rain(String id) {
        return rains.get(id);
    }

    /** As {@link #sale}, but queries the ledger if the cache does not have it. */
    public CompletableFuture<Offer> findSale(String id) {
        Offer offer = sales.get(id);
        return offer != null ? CompletableFuture.completedFuture(offer)
                : ledger.read((connection, ledgerState) -> read(connection, ONE_SALE, id));
    }

    /** As {@link #findSale}, on the calling thread, which must not be an event loop. */
    public @Nullable Offer readSale(String id) {
        Offer offer = sales.get(id);
        return offer != null ? offer
                : ledger.transactOrNull(
                        (connection, ledgerState) -> read(connection, ONE_SALE, id));
    }

    /** As {@link #rain}, but queries the ledger if the cache does not have it. */
    public CompletableFuture<Offer> findRain(String id) {
        Offer offer = rains.get(id);
        return offer != null ? CompletableFuture.completedFuture(offer)
                : ledger.read((connection, ledgerState) -> read(connection, ONE_RAIN, id));
    }

    /** The sale if it is retired, else null; queries the ledger if it may have been evicted. */
    public CompletableFuture<@Nullable Offer> retiredSale(String id) {
        return retired(sales.get(id), sales, () -> findSale(id));
    }

    /** As {@link #retiredSale}, for a rain. */
    public CompletableFuture<@Nullable Offer> retiredRain(String id) {
        return retired(rains.get(id), rains, () -> findRain(id));
    }

    private static CompletableFuture<@Nullable Offer> retired(@Nullable Offer offer,
            OffersById offers, Supplier<CompletableFuture<Offer>> query) {
        CompletableFuture<Offer> found = offer == null && offers.retiredIncomplete
                ? query.get() : CompletableFuture.completedFuture(offer);
        return found.thenApply(any -> any != null && any.state.isRetired() ? any : null);
    }

    private @Nullable Offer read(Connection connection, Sql one, String id) throws SQLException {
        Offer offer = one.first(connection, Offer::of, id);
        if (offer == null || offer.state == OfferState.PREPARING) {
            return null;
        }
        note(offer);
        return offer;
    }

    /** The shards of a sale; an unknown sale has one. */
    public Shards shards(@Nullable Offer sale, String id) {
        return partitions.shards(id, sale == null ? 1 : sale.partitions.size());
    }

    /** The partitions of the sales and rains that this pod has read. */
    public Set<Integer> partitions() {
        return busyPartitions;
    }

    /** The partitions of the sales with several shards that this pod has read. */
    public Set<Integer> shardedPartitions() {
        return shardedPartitions;
    }

    /** The current and former partitions of sales and rains whose buyers wait for the ledger. */
    public Set<Integer> awaitedPartitions() {
        return awaitedPartitions;
    }

    /** Registers a listener for partitions that get their first sale or rain of either kind. */
    public void onBusy(IntConsumer listener) {
        onBusy = listener;
    }

    /** Adds a sale or rain to the cache; one that is still being prepared is ignored. */
    public void note(Offer offer) {
        if (offer.state == OfferState.PREPARING) {
            return;
        }
        (offer.isSale ? sales : rains).put(offer);
        for (int partition : offer.partitions) {
            if (offer.partitions.size() > 1) {
                shardedPartitions.add(partition);
            }
            boolean isAwaited = offer.isAwaited() && offer.state == OfferState.LOADED
                    && awaitedPartitions.add(partition);
            if (busyPartitions.add(partition) || isAwaited) {
                onBusy.accept(partition);
            }
        }
    }

    /** Reads changes since the last refresh. */
    void refresh() {
        if (!ledger.isReady()) {
            return;
        }
        try {
            ledger.transactOrNull((connection, ledgerState) -> {
                read(connection, ledgerState);
                return null;
            });
        } catch (RuntimeException e) {
            LOG.debugf("Sales and rains could not be read: %s", e.getMessage());
        }
    }

    private void read(Connection connection, LedgerState ledgerState) throws SQLException {
        // The id of every transaction that is still open is at or above it.
        String now = NOW.one(connection, row -> row.getString(1));
        if (since == null || epoch != ledgerState.epoch()) {
            RETIRED.each(connection, row -> note(Offer.of(row)), retiredMax, retiredMax);
            OPEN.each(connection, row -> note(Offer.of(row)));
        } else {
            CHANGED.each(connection, row -> note(Offer.of(row)), since, since);
        }
        since = now;
        epoch = ledgerState.epoch();
    }
}
