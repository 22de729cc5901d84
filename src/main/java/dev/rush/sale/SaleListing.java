package dev.rush.sale;

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

/** Lists all sales, those in Redis and those that are retired. */
@Singleton
class SaleListing implements Listing.Offers {

    private final Listing listing;
    private final RetiredOffers retired;
    private final SaleViewCache views;

    @Inject
    SaleListing(Listing listing, RetiredOffers retired, SaleViewCache views) {
        this.listing = listing;
        this.retired = retired;
        this.views = views;
    }

    /** As {@link Listing#page}. */
    CompletableFuture<Response> page(@Nullable String before, @Nullable String limit) {
        return listing.page("sales", before, limit, this);
    }

    @Override
    public CompletableFuture<Optional<Map<String, Long>>> retired(long untilMs, int max) {
        return retired.sales(untilMs, max);
    }

    @Override
    public CompletableFuture<Map<String, Map<String, Object>>> ofRetired(List<String> sales) {
        return views.retired(sales).thenApply(found -> {
            Map<String, Map<String, Object>> fields = new HashMap<>();
            found.forEach((sale, view) -> fields.put(sale, view.shown().fields()));
            return fields;
        });
    }

    @Override
    public CompletableFuture<Map<String, Object>> of(String sale) {
        return views.fresh(sale).thenApply(
                view -> view == null ? Map.of("sale", sale) : view.shown().fields());
    }
}
