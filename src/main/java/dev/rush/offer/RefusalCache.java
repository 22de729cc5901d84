package dev.rush.offer;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.rush.RushConfig;
import dev.rush.http.Problem;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Cache of items that Redis reported as gone, for {@code rush.view.sold-out}. Within that time the
 * pod may refuse without calling Redis; units returned on this pod invalidate the entry.
 * Thread-safe.
 */
public class RefusalCache {

    private final long nanos;
    private final Cache<String, Map<String, Mark>> cache;

    private record Mark(Problem problem, long untilNanos) {
    }

    /** Creates an empty cache. */
    protected RefusalCache(RushConfig config) {
        nanos = config.view().soldOut().toNanos();
        cache = Caffeine.newBuilder().maximumSize(config.view().entries()).build();
    }

    /** The refusal that may be answered without calling Redis, or null. */
    public @Nullable Problem refusal(String id, String part) {
        Map<String, Mark> marks = cache.getIfPresent(id);
        Mark mark = marks == null ? null : marks.get(part);
        return mark == null || System.nanoTime() - mark.untilNanos > 0 ? null : mark.problem;
    }

    /** Records that Redis refused. Returns the problem, which is created only once. */
    protected Problem mark(String id, String part, Supplier<Problem> create) {
        Map<String, Mark> marks = cache.get(id, created -> new ConcurrentHashMap<>());
        Mark known = marks.get(part);
        Problem problem = known != null ? known.problem : create.get();
        if (nanos > 0) {
            marks.put(part, new Mark(problem, System.nanoTime() + nanos));
        }
        return problem;
    }

    /** Removes all entries of a sale or rain whose stock or state has just changed. */
    public void forget(String id) {
        cache.invalidate(id);
    }
}
