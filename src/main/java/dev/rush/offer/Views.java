package dev.rush.offer;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.rush.RushConfig;
import dev.rush.redis.RedisFailure;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * One view per thing and pod. However many readers there are, Redis is asked once per
 * {@code rush.view.refresh} and thing; a view in service is at most twice as old. What is not read
 * costs nothing. Thread-safe.
 */
public class Views<V> {

    private final Function<String, CompletableFuture<V>> reader;
    private final long refreshNanos;
    private final Cache<String, Held<V>> views;
    private final ConcurrentHashMap<String, CompletableFuture<V>> loading =
            new ConcurrentHashMap<>();

    private record Held<V>(V view, long readNanos) {
    }

    /**
     * No views yet.
     *
     * @param reader asks Redis for the view of an id; it completes with null if there is no such
     *               thing
     */
    public Views(RushConfig config, Function<String, CompletableFuture<V>> reader) {
        this.reader = reader;
        this.refreshNanos = config.view().refresh().toNanos();
        this.views = Caffeine.newBuilder().maximumSize(config.view().entries()).build();
    }

    /**
     * The view at whatever age, or null when this pod has none. Of its terms, only
     * title and times may have changed.
     */
    public V known(String id) {
        Held<V> held = views.getIfPresent(id);
        return held == null ? null : held.view;
    }

    /** All views that this pod has, each at whatever age. */
    public Collection<V> held() {
        return views.asMap().values().stream().map(Held::view).toList();
    }

    /** A view of at most twice {@code rush.view.refresh}; null if there is no such thing. */
    public CompletableFuture<V> fresh(String id) {
        Held<V> held = views.getIfPresent(id);
        long age = held == null ? Long.MAX_VALUE : System.nanoTime() - held.readNanos;
        if (age < refreshNanos) {
            return CompletableFuture.completedFuture(held.view);
        }
        CompletableFuture<V> next = load(id);
        return age < 2 * refreshNanos ? CompletableFuture.completedFuture(held.view) : next;
    }

    /**
     * A view that shows what was done just now. Where it cannot be read, that is no reason to say
     * that nothing happened.
     */
    public CompletableFuture<V> reload(String id) {
        views.invalidate(id);
        return RedisFailure.afterEffect(read(id));
    }

    /** Forgets a view that a script's reply proved wrong. */
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
        CompletableFuture<V> asked;
        try {
            asked = reader.apply(id);
        } catch (RuntimeException e) {
            // Whoever waits for this read, or comes while it is under way, is to hear of it.
            asked = CompletableFuture.failedFuture(e);
        }
        return asked.thenApply(view -> {
            if (view == null) {
                views.invalidate(id);
            } else {
                // Of two reads under way, the one that began later knows more.
                views.asMap().merge(id, new Held<>(view, before),
                        (held, read) -> held.readNanos - read.readNanos > 0 ? held : read);
            }
            return view;
        });
    }
}
