package dev.rush.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What callers do with several calls at once. */
public final class Calls {

    private Calls() {
    }

    /** The answers of calls that are under way at once, in their order. */
    public static <T> CompletableFuture<List<T>> together(List<CompletableFuture<T>> calls) {
        return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
                .thenApply(done -> calls.stream().map(CompletableFuture::join).toList());
    }
}
