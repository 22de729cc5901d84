package dev.rush.sale;

import dev.rush.RushConfig;
import dev.rush.RushConfig.Durability;
import dev.rush.http.Json;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.Snapshot;
import dev.rush.ledger.Offer;
import dev.rush.ledger.OfferCache;
import dev.rush.ledger.SaleLedger;
import dev.rush.ledger.SaleRows;
import dev.rush.offer.Durabilities;
import dev.rush.offer.ViewCache;
import dev.rush.redis.Futures;
import dev.rush.redis.Partitions;
import dev.rush.redis.Shards;
import dev.rush.sale.shard.SaleDurability;
import dev.rush.sale.shard.ShardScan;
import dev.rush.sale.shard.ShardState;
import dev.rush.sale.shard.Transfers;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** One view per sale and pod. */
@Singleton
class SaleViewCache extends ViewCache<SaleView> implements SaleDurability {

    /** Beyond this number, a sale waits until it is read again. */
    private static final int DIVERGED_MAX = 1_000;

    private final OfferCache offers;
    private final SaleLedger ledger;
    private final ViewFactory factory;
    private final Set<String> diverged;

    @Inject
    SaleViewCache(Transfers shards, Partitions partitions, Durabilities durabilities, Json json,
            OfferCache offers, SaleLedger ledger, RushConfig config) {
        this(shards, new ViewFactory(partitions, durabilities, json), offers, ledger, config,
                ConcurrentHashMap.newKeySet());
    }

    private SaleViewCache(Transfers shards, ViewFactory factory, OfferCache offers,
            SaleLedger ledger, RushConfig config, Set<String> diverged) {
        super(config, sale -> read(sale, shards, factory, diverged)
                .thenCompose(view -> view != null ? CompletableFuture.completedFuture(view)
                        : offers.retiredSale(sale).thenCompose(offer -> offer == null
                                ? CompletableFuture.completedFuture(null)
                                : ledger.kept(sale).thenApply(
                                        kept -> retired(sale, kept, factory)))));
        this.offers = offers;
        this.ledger = ledger;
        this.factory = factory;
        this.diverged = diverged;
    }

    /** Creates views from what was read from Redis or the ledger. */
    record ViewFactory(Partitions partitions, Durabilities durabilities, Json json) {

        /** The sale's level, from any shard that answered; the strongest if none did. */
        Durability durability(ShardScan scan) {
            return scan.states().stream()
                    .filter(state -> state != null && state.conf().containsKey("definition"))
                    .findFirst().map(state -> durabilities.of(
                            definition(state.conf()).durability()))
                    .orElseGet(durabilities::strongest);
        }

        private SaleDefinition definition(Map<String, String> conf) {
            return json.read(Objects.requireNonNull(conf.get("definition"))
                    .getBytes(StandardCharsets.UTF_8), SaleDefinition.class);
        }

        private Shards shards(String sale, SaleDefinition definition) {
            return partitions.shards(sale, definition.shards());
        }

        private SaleView view(String sale, SaleDefinition definition, List<ShardState> states) {
            return SaleView.of(sale, definition, shards(sale, definition), states,
                    durabilities.of(definition.durability()), json);
        }
    }

    /** Sales whose shards a read found to differ, each returned once. */
    Set<String> takeDiverged() {
        Set<String> taken = Set.copyOf(diverged);
        diverged.removeAll(taken);
        return taken;
    }

    /**
     * Why Redis has no such sale: it was retired, it was lost, or it never existed. {@code
     * UNAVAILABLE} if only the ledger can tell, and this pod has never read it.
     */
    OutcomeCode absence(String sale) {
        // Read first: a refresh stores the offers before it notes that the ledger was read.
        boolean isUnread = offers.isUnreadSale(sale);
        Offer offer = offers.sale(sale);
        return isRetired(offer) ? OutcomeCode.CLOSED
                : offer != null ? OutcomeCode.NOT_LOADED
                : isUnread ? OutcomeCode.UNAVAILABLE : OutcomeCode.UNKNOWN_SALE;
    }

    private static boolean isRetired(@Nullable Offer offer) {
        return offer != null && offer.state().isRetired();
    }

    /** Whether a missing part is lost, because the sale was prepared and is not retired. */
    boolean isLost(String sale) {
        return known(sale) != null ? !isRetired(offers.sale(sale))
                : absence(sale) == OutcomeCode.NOT_LOADED;
    }

    /** Those of these sales that the ledger has, as they are shown, in one transaction. */
    CompletableFuture<Map<String, Snapshot>> retired(Collection<String> sales) {
        return ledger.kept(sales).thenApply(found -> {
            Map<String, Snapshot> retired = new HashMap<>();
            found.forEach((sale, kept) ->
                    retired.put(sale, retired(sale, kept, factory).shown()));
            return retired;
        });
    }

    private static SaleView retired(String sale, SaleRows.Kept kept, ViewFactory factory) {
        Map<String, String> conf = Map.of("definition", kept.definition(),
                "closed_at", Long.toString(kept.closedAtMs()));
        Map<String, String> stock = new HashMap<>();
        kept.items().forEach(item -> {
            stock.put(item.sku() + ":total", Long.toString(item.total()));
            stock.put(item.sku() + ":ordered", Long.toString(item.sold()));
        });
        ShardState all = new ShardState(System.currentTimeMillis(), conf, stock, Map.of());
        return factory.view(sale, factory.definition(conf), List.of(all));
    }

    @Override
    public boolean isReplicated(String sale, ShardScan scan) {
        SaleView view = known(sale);
        return (view != null ? view.durability() : factory.durability(scan)) == Durability.REPLICAS;
    }

    /** The problem to answer instead of this view; null if the view is valid. */
    @Nullable Problem problem(String sale, SaleView view) {
        return view == null ? Problem.of(absence(sale))
                : view.loaded() ? null : Problem.of(OutcomeCode.NOT_LOADED);
    }

    /** The shards of a sale; one if the sale is unknown. */
    CompletableFuture<Shards> shards(String sale) {
        SaleView view = known(sale);
        Offer offer = offers.sale(sale);
        if (view != null || offer != null) {
            return CompletableFuture.completedFuture(
                    view != null ? view.shards() : offers.shards(offer, sale));
        }
        return fresh(sale).thenApply(found ->
                found != null ? found.shards() : offers.shards(null, sale));
    }

    /** The first shard knows how many there are, so the others are read after it. */
    private static CompletableFuture<SaleView> read(
            String sale, Transfers reads, ViewFactory factory, Set<String> diverged) {
        return reads.read(sale, factory.partitions.of(sale)).thenCompose(first -> {
            if (!first.isKnown()) {
                return CompletableFuture.completedFuture(null);
            }
            SaleDefinition definition = factory.definition(first.conf());
            return Futures.together(factory.shards(sale, definition).partitions().stream()
                    .skip(1).map(shard -> reads.read(sale, shard)).toList()).thenApply(others -> {
                        List<ShardState> states = new ArrayList<>(List.of(first));
                        states.addAll(others);
                        ShardScan scan = new ShardScan(states);
                        if (!(scan.agrees(0) && scan.sharesTimes(0))
                                && diverged.size() < DIVERGED_MAX) {
                            diverged.add(sale);
                        }
                        return factory.view(sale, definition, states);
                    });
        });
    }
}
