package dev.rush.ledger;

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
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the sales and rains that are loaded or over in the ledger, about a second stale. With
 * it a purchase can distinguish a sale that Redis lost from one that never existed, and find the
 * partition and month of a sale's rows, without a query. It holds all loaded ones, which are read
 * first, and up to 10,000 retired ones of each kind; others are read from the ledger on demand.
 */
@Singleton
public class OfferCache {

    private static final Logger LOG = Logger.getLogger(OfferCache.class);
    private static final long REFRESH_MS = 1_000;
    private static final int RETIRED_MAX = 10_000;
    /** Not parsed as JSON in SQL, because one invalid definition would fail the whole query. */
    private static final String DURABILITY =
            "substring(definition FROM '\"durability\"\\s*:\\s*\"([a-z]+)\"')";
    private static final String OTHERS = "state, " + DURABILITY
            + ", prepared_at_ms, changed FROM ";
    /** Reads {@link Offer}s that are sales. */
    static final String SALE =
            "SELECT true, sale AS id, month, partitions, " + OTHERS + "sales WHERE ";
    /** Reads {@link Offer}s that are rains. */
    static final String RAIN =
            "SELECT false, rain AS id, month, ARRAY[partition], " + OTHERS + "rains WHERE ";
    private static final String OPEN_STATES = "state IN ('preparing', 'loaded')";
    private static final Sql NOW = Sql.named("snapshot-xmin",
            "SELECT pg_snapshot_xmin(pg_current_snapshot())::text");
    private static final Sql OPEN = Sql.named("open-offers",
            SALE + OPEN_STATES + " UNION ALL " + RAIN + OPEN_STATES);
    /** Without statistics the planner expects a third of all, and would read all of them. */
    private static final Sql CHANGED = Sql.named("changed-offers", "SET LOCAL enable_seqscan = off",
            SALE + "changed >= ?::xid8 UNION ALL " + RAIN + "changed >= ?::xid8");
    private static final String LATEST_RETIRED = "state IN ('retiring', 'retired', 'archived')"
            + " ORDER BY changed DESC LIMIT ?)";
    /** The setting prevents plans that read all retired ones to sort them. */
    private static final Sql RETIRED = Sql.named("retired-offers", "SET LOCAL enable_sort = off",
            "(" + SALE + LATEST_RETIRED + " UNION ALL (" + RAIN + LATEST_RETIRED
            + " ORDER BY changed");
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
     * Used by one thread at a time, like the fields below. Each epoch has its own transaction ids.
     */
    private int epoch;
    private @Nullable String since;
    private boolean hasRetired;

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
        if (!ledger.isConfigured()) {
            noteRead();
        }
    }

    private void noteRead() {
        sales.noteRead();
        rains.noteRead();
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

    /** Whether the ledger has not been read yet, so that it may have this unknown sale. */
    public boolean isUnreadSale(String id) {
        return sales.isUnread(id);
    }

    /** As {@link #isUnreadSale}, for a rain. */
    public boolean isUnreadRain(String id) {
        return rains.isUnread(id);
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

    /** The sale if it is retired, else null; queries the ledger if this pod may not know it. */
    public CompletableFuture<@Nullable Offer> retiredSale(String id) {
        return retired(sales, ONE_SALE, id);
    }

    /** As {@link #retiredSale}, for a rain. */
    public CompletableFuture<@Nullable Offer> retiredRain(String id) {
        return retired(rains, ONE_RAIN, id);
    }

    private CompletableFuture<@Nullable Offer> retired(OffersById offers, Sql one, String id) {
        Offer offer = offers.get(id);
        CompletableFuture<Offer> found = offer == null && offers.mayLack(id)
                ? ledger.lookUp((connection, ledgerState) -> {
                    Offer read = read(connection, one, id);
                    if (read == null) {
                        offers.putAbsent(id);
                    }
                    return read;
                }) : CompletableFuture.completedFuture(offer);
        return found.thenApply(any -> any != null && any.state().isRetired() ? any : null);
    }

    private @Nullable Offer read(Connection connection, Sql one, String id) throws SQLException {
        Offer offer = one.first(connection, Offer::of, id);
        if (offer == null || offer.state() == OfferState.PREPARING) {
            return null;
        }
        remember(offer);
        return offer;
    }

    /** The shards of a sale; an unknown sale has one. */
    public Shards shards(@Nullable Offer sale, String id) {
        return partitions.shards(id, sale == null ? 1 : sale.partitions().size());
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

    /** Remembers a sale or rain that is loaded or over, as it was read. */
    void remember(Offer offer) {
        kind(offer).putIfAbsent(offer);
        notePartitions(offer);
    }

    private OffersById kind(Offer offer) {
        return offer.isSale() ? sales : rains;
    }

    private void note(Offer offer) {
        if (offer.state() != OfferState.PREPARING) {
            kind(offer).put(offer);
            notePartitions(offer);
        }
    }

    private void notePartitions(Offer offer) {
        for (int partition : offer.partitions()) {
            if (offer.partitions().size() > 1) {
                shardedPartitions.add(partition);
            }
            boolean isAwaited = offer.isAwaited() && offer.state() == OfferState.LOADED
                    && awaitedPartitions.add(partition);
            if (busyPartitions.add(partition) || isAwaited) {
                onBusy.accept(partition);
            }
        }
    }

    /** Reads changes since the last refresh; first waits for the start of the ledger, briefly. */
    void refresh() {
        try {
            ledger.transactOrNull((connection, ledgerState) -> {
                read(connection, ledgerState);
                return null;
            });
            if (!hasRetired) {
                // Apart from the loaded ones, which are more urgent.
                ledger.transactOrNull((connection, ledgerState) -> {
                    RETIRED.each(connection, row -> note(Offer.of(row)), retiredMax, retiredMax);
                    return null;
                });
                hasRetired = true;
                noteRead();
            }
        } catch (RuntimeException e) {
            // There may be too many changes for one transaction, so the next one reads no changes.
            since = null;
            LOG.debugf("Sales and rains could not be read: %s", e.getMessage());
        }
    }

    private void read(Connection connection, LedgerState ledgerState) throws SQLException {
        // The id of every transaction that is still open is at or above it.
        String now = NOW.one(connection, row -> row.getString(1));
        if (since == null || epoch != ledgerState.epoch()) {
            hasRetired = false;
            readLoaded(connection);
        } else {
            CHANGED.each(connection, row -> note(Offer.of(row)), since, since);
        }
        since = now;
        epoch = ledgerState.epoch();
    }

    private void readLoaded(Connection connection) throws SQLException {
        Set<String> loadedSales = new HashSet<>();
        Set<String> loadedRains = new HashSet<>();
        OPEN.each(connection, row -> {
            Offer offer = Offer.of(row);
            (offer.isSale() ? loadedSales : loadedRains).add(offer.id());
            note(offer);
        });
        sales.retainLoaded(loadedSales);
        rains.retainLoaded(loadedRains);
    }
}
