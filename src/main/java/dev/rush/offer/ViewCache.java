package dev.rush.offer;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.rush.RushConfig;
import dev.rush.redis.RedisFailure;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Cache of one view per sale or rain and pod. Regardless of the number of readers, Redis is read
 * once per {@code rush.view.refresh} and id; a served view is at most twice as old. Views that are
 * not read cost nothing. Thread-safe.
 */
public class ViewCache<V> {

    private final Function<String, CompletableFuture<V>> reader;
    private final long refreshNanos;
    private final Cache<String, Held<V>> views;
    private final ConcurrentHashMap<String, CompletableFuture<V>> loading =
            new ConcurrentHashMap<>();

    private record Held<V>(V view, long readNanos) {
    }

    /**
     * Creates an empty cache.
     *
     * @param reader reads the view of an id from Redis; it completes with null if the id does not
     *               exist
     */
    public ViewCache(RushConfig config, Function<String, CompletableFuture<V>> reader) {
        this.reader = reader;
        this.refreshNanos = config.view().refresh().toNanos();
        this.views = Caffeine.newBuilder().maximumSize(config.view().entries()).build();
    }

    /**
     * The cached view of any age, or null if this pod has none. Of its terms, only title and times
     * may have changed.
     */
    public @Nullable V known(String id) {
        Held<V> held = views.getIfPresent(id);
        return held == null ? null : held.view;
    }

    /** All cached views, of any age. */
    public Collection<V> held() {
        return views.asMap().values().stream().map(Held::view).toList();
    }

    /** A view of at most twice {@code rush.view.refresh}; null if the id does not exist. */
    public CompletableFuture<V> fresh(String id) {
        Held<V> held = views.getIfPresent(id);
        if (held == null) {
            return load(id);
        }
        long age = System.nanoTime() - held.readNanos;
        if (age < refreshNanos) {
            return CompletableFuture.completedFuture(held.view);
        }
        CompletableFuture<V> next = load(id);
        return age < 2 * refreshNanos ? CompletableFuture.completedFuture(held.view) : next;
    }

    /**
     * A view that includes a change made just now. If it cannot be read, the outcome of the change
     * is still success.
     */
    public CompletableFuture<V> reload(String id) {
        views.invalidate(id);
        return RedisFailure.afterEffect(read(id));
    }

    /** Removes a view that a script's reply proved wrong. */
    public void forget(String id) {
        views.invalidate(id);
    }

    private CompletableFuture<V> load(String id) {
        CompletableFuture<V> mine = new CompletableFuture<>();
        CompletableFuture<V> other = loading.putIfAbsent(id, mine);
        if (other != null) {
            return other;
        }
        read(id).whenComplete((view, failure) -> {
            loading.remove(id, mine);
            if (failure == null) {
                mine.complete(view);
            } else {
                mine.completeExceptionally(failure);
            }
        });
        return mine;
    }

    private CompletableFuture<V> read(String id) {
        long before = System.nanoTime();
        CompletableFuture<V> result;
        try {
            result = reader.apply(id);
        } catch (RuntimeException | Error e) {
            // All callers that wait for this read, or arrive during it, get its result.
            result = CompletableFuture.failedFuture(e);
        }
        return result.thenApply(view -> {
            if (view == null) {
                views.invalidate(id);
            } else {
                // Of two concurrent reads, the one that began later is newer.
                views.asMap().merge(id, new Held<>(view, before),
                        (held, read) -> held.readNanos - read.readNanos > 0 ? held : read);
            }
            return view;
        });
    }
}
