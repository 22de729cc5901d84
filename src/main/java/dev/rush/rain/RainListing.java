package dev.rush.rain;

import dev.rush.ledger.RetiredOffers;
import dev.rush.offer.Listing;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Lists all rains, those in Redis and those that are retired. */
@Singleton
class RainListing implements Listing.Offers {

    private final Listing listing;
    private final RetiredOffers retired;
    private final RainViewCache views;

    @Inject
    RainListing(Listing listing, RetiredOffers retired, RainViewCache views) {
        this.listing = listing;
        this.retired = retired;
        this.views = views;
    }

    /** As {@link Listing#page}. */
    CompletableFuture<Response> page(@Nullable String before, @Nullable String limit) {
        return listing.page("rains", before, limit, this);
    }

    @Override
    public CompletableFuture<Optional<Map<String, Long>>> retired(long untilMs, int max) {
        return retired.rains(untilMs, max);
    }

    @Override
    public CompletableFuture<Map<String, Map<String, Object>>> ofRetired(List<String> rains) {
        return views.retired(rains).thenApply(found -> {
            Map<String, Map<String, Object>> fields = new HashMap<>();
            found.forEach((rain, view) -> fields.put(rain, view.shown().fields()));
            return fields;
        });
    }

    @Override
    public CompletableFuture<Map<String, Object>> of(String rain) {
        return views.fresh(rain).thenApply(
                view -> view == null ? Map.of("rain", rain) : view.shown().fields());
    }
}
