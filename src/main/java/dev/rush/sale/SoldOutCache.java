package dev.rush.sale;

import dev.rush.RushConfig;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.offer.RefusalCache;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Map;

/** Cache of sold-out items. */
@Singleton
class SoldOutCache extends RefusalCache {

    @Inject
    SoldOutCache(RushConfig config) {
        super(config);
    }

    /** Records that Redis answered sold-out. Returns the problem. */
    Problem mark(String sale, String sku) {
        return mark(sale, sku, () -> problem(sku));
    }

    /** The problem for a sold-out item. */
    static Problem problem(String sku) {
        return Problem.of(
                OutcomeCode.SOLD_OUT, "Nothing is left of " + sku + ".", Map.of("sku", sku));
    }
}
