package dev.rush.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Combines futures. */
public final class Futures {

    private Futures() {
    }

    /** Completes with the results of all futures, in their order. */
    public static <T> CompletableFuture<List<T>> together(List<CompletableFuture<T>> futures) {
        return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
                .thenApply(done -> futures.stream().map(CompletableFuture::join).toList());
    }
}
