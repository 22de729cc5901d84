package dev.rush.offer;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.rush.RushConfig;
import dev.rush.http.Problem;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * What this pod knows to be gone, for {@code rush.view.sold-out} after Redis said so. Within that
 * time it may refuse by itself; whatever gives units back on this pod ends it at once.
 * Thread-safe.
 */
public class RecentRefusals {

    private final long nanos;
    private final Cache<String, Map<String, Mark>> things;

    private record Mark(Problem problem, long untilNanos) {
    }

    /** Nothing is known to be gone yet. */
    protected RecentRefusals(RushConfig config) {
        nanos = config.view().soldOut().toNanos();
        things = Caffeine.newBuilder().maximumSize(config.view().entries()).build();
    }

    /** The refusal that may be given without asking Redis, or null. */
    public Problem refusal(String id, String part) {
        Map<String, Mark> marks = things.getIfPresent(id);
        Mark mark = marks == null ? null : marks.get(part);
        return mark == null || System.nanoTime() - mark.untilNanos > 0 ? null : mark.problem;
    }

    /** Takes note that Redis said so. Returns the problem that says it, made at the first time. */
    protected Problem mark(String id, String part, Supplier<Problem> made) {
        Map<String, Mark> marks = things.get(id, created -> new ConcurrentHashMap<>());
        Mark known = marks.get(part);
        Problem problem = known != null ? known.problem : made.get();
        if (nanos > 0) {
            marks.put(part, new Mark(problem, System.nanoTime() + nanos));
        }
        return problem;
    }

    /** Forgets all about a sale or rain whose stock or state has just changed. */
    public void forget(String id) {
        things.invalidate(id);
    }
}
