package dev.rush.sale;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.rush.RushConfig;
import dev.rush.http.Json;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One view per sale and pod. However many readers there are, Redis is asked once per
 * {@code rush.view.refresh} and sale; a view in service is at most twice as old. A sale that is
 * not read costs nothing.
 */
@Singleton
class SaleViews {

    private final RedisCommands redis;
    private final Partitions partitions;
    private final Json json;
    private final long refreshNanos;
    private final Cache<String, SaleView> views;
    private final ConcurrentHashMap<String, CompletableFuture<SaleView>> loading =
            new ConcurrentHashMap<>();

    @Inject
    SaleViews(RedisCommands redis, Partitions partitions, Json json, RushConfig config) {
        this.redis = redis;
        this.partitions = partitions;
        this.json = json;
        this.refreshNanos = config.view().refresh().toNanos();
        this.views = Caffeine.newBuilder().maximumSize(config.view().entries()).build();
    }

    /** The view at whatever age, or null when this pod has none. Its terms never change. */
    SaleView known(String sale) {
        return views.getIfPresent(sale);
    }

    /** A view of at most twice {@code rush.view.refresh}; null for an unknown sale. */
    CompletableFuture<SaleView> fresh(String sale) {
        SaleView view = views.getIfPresent(sale);
        long age = view == null ? Long.MAX_VALUE : System.nanoTime() - view.readNanos();
        if (age < refreshNanos) {
            return CompletableFuture.completedFuture(view);
        }
        CompletableFuture<SaleView> next = load(sale);
        return age < 2 * refreshNanos ? CompletableFuture.completedFuture(view) : next;
    }

    /** A view that shows everything done before this call. */
    CompletableFuture<SaleView> reload(String sale) {
        views.invalidate(sale);
        return read(sale);
    }

    /** Forgets a view that a script's reply proved wrong. */
    void forget(String sale) {
        views.invalidate(sale);
    }

    private CompletableFuture<SaleView> load(String sale) {
        CompletableFuture<SaleView> mine = new CompletableFuture<>();
        CompletableFuture<SaleView> other = loading.putIfAbsent(sale, mine);
        if (other != null) {
            return other;
        }
        read(sale).whenComplete((view, failure) -> {
            loading.remove(sale, mine);
            if (failure == null) {
                mine.complete(view);
            } else {
                mine.completeExceptionally(failure);
            }
        });
        return mine;
    }

    private CompletableFuture<SaleView> read(String sale) {
        Partition partition = partitions.of(sale);
        long before = System.nanoTime();
        return redis.script(SaleScripts.READ, partition,
                List.of(SaleScripts.key(partition, sale, "conf"),
                        SaleScripts.key(partition, sale, "stock")), List.of())
                .thenApply(reply -> {
                    SaleView view = SaleView.of(sale, reply, before, json);
                    if (view == null) {
                        views.invalidate(sale);
                    } else {
                        views.put(sale, view);
                    }
                    return view;
                });
    }
}
