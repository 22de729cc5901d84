package dev.rush.sale;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.rush.RushConfig;
import dev.rush.http.Problem;
import dev.rush.http.Word;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What this pod knows to be sold out, for {@code rush.view.sold-out} after Redis said so. Within
 * that time it may refuse by itself; whatever gives units back on this pod ends it at once.
 */
@Singleton
class SoldOut {

    private final long nanos;
    private final Cache<String, Map<String, Mark>> sales;

    private record Mark(Problem problem, long untilNanos) {
    }

    @Inject
    SoldOut(RushConfig config) {
        nanos = config.view().soldOut().toNanos();
        sales = Caffeine.newBuilder().maximumSize(config.view().entries()).build();
    }

    /** The refusal that may be given without asking Redis, or null. */
    Problem refusal(String sale, String sku) {
        Map<String, Mark> marks = sales.getIfPresent(sale);
        Mark mark = marks == null ? null : marks.get(sku);
        return mark == null || System.nanoTime() - mark.untilNanos > 0 ? null : mark.problem;
    }

    /** Takes note that Redis said sold-out. Returns the problem that says so. */
    Problem mark(String sale, String sku) {
        Map<String, Mark> marks = sales.get(sale, created -> new ConcurrentHashMap<>());
        Mark known = marks.get(sku);
        Problem problem = known != null ? known.problem : Problem.of(
                Word.SOLD_OUT, "Nothing is left of " + sku + ".", Map.of("sku", sku));
        if (nanos > 0) {
            marks.put(sku, new Mark(problem, System.nanoTime() + nanos));
        }
        return problem;
    }

    /** Forgets all about a sale whose stock or state has just changed. */
    void forget(String sale) {
        sales.invalidate(sale);
    }
}
