package dev.rush.ledger;

import dev.rush.http.ProblemException;
import dev.rush.ledger.sql.Sql;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Finds the latest prepared sales and rains that have left Redis, or are about to. */
@Singleton
public class RetiredOffers {

    /** One that is retiring may have left Redis already. */
    private static final String PREPARED_BY = "state IN ('retiring', 'retired', 'archived')"
            + " AND prepared_at_ms <= ? ORDER BY prepared_at_ms DESC LIMIT ?";
    /** A plan that sorts would read all of them. */
    private static final String IN_ORDER_OF_INDEX = "SET LOCAL enable_sort = off";
    private static final Sql SALES = Sql.named(
            "retired-sales-by-time", IN_ORDER_OF_INDEX, OfferCache.SALE + PREPARED_BY);
    private static final Sql RAINS = Sql.named(
            "retired-rains-by-time", IN_ORDER_OF_INDEX, OfferCache.RAIN + PREPARED_BY);

    private final Ledger ledger;
    private final OfferCache offers;

    @Inject
    RetiredOffers(Ledger ledger, OfferCache offers) {
        this.ledger = ledger;
        this.offers = offers;
    }

    /**
     * The ids of sales, each with the time of its preparation as Redis had it, in milliseconds
     * since 1970, in no order. Empty while the ledger does not answer.
     *
     * @param untilMs only sales that were prepared then or before
     */
    public CompletableFuture<Optional<Map<String, Long>>> sales(long untilMs, int max) {
        return preparedBy(SALES, untilMs, max);
    }

    /** As {@link #sales}, for rains. */
    public CompletableFuture<Optional<Map<String, Long>>> rains(long untilMs, int max) {
        return preparedBy(RAINS, untilMs, max);
    }

    private CompletableFuture<Optional<Map<String, Long>>> preparedBy(
            Sql query, long untilMs, int max) {
        if (!ledger.isConfigured()) {
            return CompletableFuture.completedFuture(Optional.of(Map.of()));
        }
        return ledger.read((connection, ledgerState) -> {
            Map<String, Long> found = new HashMap<>();
            query.each(connection, row -> {
                Offer offer = Offer.of(row);
                offers.remember(offer);
                found.put(offer.id(), offer.preparedAtMs());
            }, untilMs, max);
            return Optional.of(found);
        }).exceptionally(failure -> {
            if (!ProblemException.isUnavailable(failure)) {
                throw new CompletionException(failure);
            }
            return Optional.empty();
        });
    }
}
