package dev.rush.rain;

import dev.rush.ledger.RetiredOffers;
import dev.rush.offer.Listing;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Lists all rains, those in Redis and those that are retired. */
@Singleton
class RainListing {

    private final Listing listing;
    private final Listing.Source source;

    @Inject
    RainListing(Listing listing, RetiredOffers retired, RainViewCache views) {
        this.listing = listing;
        this.source = new Listing.Source(retired::rains, views::retired,
                rain -> views.fresh(rain).thenApply(view -> view == null ? null : view.shown()));
    }

    /** As {@link Listing#page}. */
    CompletableFuture<Response> page(@Nullable String before, @Nullable String limit) {
        return listing.page("rains", before, limit, source);
    }
}
