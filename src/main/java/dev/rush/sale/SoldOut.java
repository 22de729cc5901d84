package dev.rush.sale;

import dev.rush.RushConfig;
import dev.rush.http.Problem;
import dev.rush.http.Word;
import dev.rush.offer.RecentRefusals;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Map;

/** The items that this pod knows to be sold out. */
@Singleton
class SoldOut extends RecentRefusals {

    @Inject
    SoldOut(RushConfig config) {
        super(config);
    }

    /** Takes note that Redis said sold-out. Returns the problem that says so. */
    Problem mark(String sale, String sku) {
        return mark(sale, sku, () -> problem(sku));
    }

    /** The problem that says sold-out. */
    static Problem problem(String sku) {
        return Problem.of(
                Word.SOLD_OUT, "Nothing is left of " + sku + ".", Map.of("sku", sku));
    }
}
