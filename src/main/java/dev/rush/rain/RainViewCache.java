package dev.rush.rain;

import dev.rush.RushConfig;
import dev.rush.http.Json;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Snapshot;
import dev.rush.ledger.Offer;
import dev.rush.ledger.OfferCache;
import dev.rush.ledger.OfferState;
import dev.rush.ledger.RainLedger;
import dev.rush.ledger.RainRows;
import dev.rush.offer.Durabilities;
import dev.rush.offer.ViewCache;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One view per rain and pod. */
@Singleton
class RainViewCache extends ViewCache<RainView> {

    private final OfferCache offers;
    private final RainLedger ledger;
    private final Durabilities durabilities;
    private final Json json;

    @Inject
    RainViewCache(RedisCommands redis, Partitions partitions, Durabilities durabilities, Json json,
            OfferCache offers, RainLedger ledger, RushConfig config) {
        super(config, rain -> read(rain, redis, partitions.of(rain), durabilities, json)
                .thenCompose(view -> view != null ? CompletableFuture.completedFuture(view)
                        : offers.retiredRain(rain).thenCompose(offer -> offer == null
                                ? CompletableFuture.completedFuture(null)
                                : ledger.kept(rain).thenApply(
                                        kept -> retired(rain, kept, durabilities, json)))));
        this.offers = offers;
        this.ledger = ledger;
        this.durabilities = durabilities;
        this.json = json;
    }

    /** A rain, of any age; completes with null if there is none. */
    CompletableFuture<RainView> find(String rain) {
        RainView known = known(rain);
        return known != null ? CompletableFuture.completedFuture(known) : fresh(rain);
    }

    /**
     * Why Redis has no such rain: it was retired, it was lost, or it never existed. {@code
     * UNAVAILABLE} if only the ledger can tell, and this pod has never read it.
     */
    OutcomeCode absence(String rain) {
        // Read first: a refresh stores the offers before it notes that the ledger was read.
        boolean isUnread = offers.isUnreadRain(rain);
        Offer offer = offers.rain(rain);
        return isRetired(offer) ? OutcomeCode.CLOSED
                : offer != null ? OutcomeCode.NOT_LOADED
                : isUnread ? OutcomeCode.UNAVAILABLE : OutcomeCode.UNKNOWN_RAIN;
    }

    /** Whether Redis no longer has the rain and its grabs, and the ledger still has them. */
    CompletableFuture<Boolean> isOnlyInLedger(String rain) {
        return offers.retiredRain(rain).thenApply(offer ->
                offer != null && offer.state() != OfferState.ARCHIVED);
    }

    private static boolean isRetired(@Nullable Offer offer) {
        return offer != null && offer.state().isRetired();
    }

    /** Those of these rains that the ledger has, as they are shown, in one transaction. */
    CompletableFuture<Map<String, Snapshot>> retired(Collection<String> rains) {
        return ledger.kept(rains).thenApply(found -> {
            Map<String, Snapshot> retired = new HashMap<>();
            found.forEach((rain, kept) ->
                    retired.put(rain, retired(rain, kept, durabilities, json).shown()));
            return retired;
        });
    }

    private static RainView retired(
            String rain, RainRows.Kept kept, Durabilities durabilities, Json json) {
        return RainView.of(rain, System.currentTimeMillis(),
                Map.of("definition", kept.definition(),
                        "closed_at", Long.toString(kept.closedAtMs()),
                        "granted", Long.toString(kept.granted()),
                        "granted_amount", Long.toString(kept.grantedAmount())),
                null, durabilities, json);
    }

    private static CompletableFuture<RainView> read(
            String rain, RedisCommands redis, Partition partition, Durabilities durabilities,
            Json json) {
        return redis.script(RainScripts.READ,
                partition.keys().rain(rain, "conf", "envelopes", "takers"), List.of())
                .thenApply(reply -> RainView.of(rain, reply, durabilities, json));
    }
}
