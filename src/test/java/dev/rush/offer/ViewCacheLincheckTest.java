package dev.rush.offer;

import dev.rush.RushConfig;
import dev.rush.testing.Interleavings;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * Views that several threads load, reload and change: a reload after a change sees the change, and
 * no older view stays in the cache.
 */
public class ViewCacheLincheckTest {
    private static final RushConfig CONFIG = new SmallRyeConfigBuilder()
            .withMapping(RushConfig.class).build().getConfigMapping(RushConfig.class);
    private final AtomicInteger redis = new AtomicInteger();
    private final ViewCache<Integer> views = new ViewCache<>(CONFIG,
            id -> CompletableFuture.completedFuture(redis.get()));

    /** Changes the data and reloads the view, as an operator's call does. */
    @Operation
    public boolean changeIsSeen() {
        int mine = redis.incrementAndGet();
        boolean seen = views.reload("a").join() >= mine;
        Integer known = views.known("a");
        return seen && (known == null || known >= mine);
    }

    /** Another caller, whose read may have begun earlier and end later. */
    @Operation
    public boolean fresh() {
        return views.fresh("a").join() >= 0;
    }

    @Test
    void reloadSeesTheChange() {
        Interleavings.stress(getClass());
    }
}
