package dev.rush.sale;

import dev.rush.ledger.RetiredOffers;
import dev.rush.offer.Listing;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Lists all sales, those in Redis and those that are retired. */
@Singleton
class SaleListing {

    private final Listing listing;
    private final Listing.Source source;

    @Inject
    SaleListing(Listing listing, RetiredOffers retired, SaleViewCache views) {
        this.listing = listing;
        this.source = new Listing.Source(retired::sales, views::retired,
                sale -> views.fresh(sale).thenApply(view -> view == null ? null : view.shown()));
    }

    /** As {@link Listing#page}. */
    CompletableFuture<Response> page(@Nullable String before, @Nullable String limit) {
        return listing.page("sales", before, limit, source);
    }
}
