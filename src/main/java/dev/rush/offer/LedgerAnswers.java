package dev.rush.offer;

import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.order.Decision;
import dev.rush.order.Decisions;
import dev.rush.redis.Partition;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Answers purchases and grabs once the ledger has decided ({@code durability: ledger}). */
@Singleton
public class LedgerAnswers {

    /** Refusals behind which the ledger may have an earlier order or grab under the key. */
    private static final Set<OutcomeCode> MAY_HIDE_FIRST =
            Set.of(OutcomeCode.REJECTED, OutcomeCode.KEY_REUSED);

    private final Decisions decisions;
    private final FailedCalls failures;

    @Inject
    LedgerAnswers(Decisions decisions, FailedCalls failures) {
        this.decisions = decisions;
        this.failures = failures;
    }

    /**
     * A purchase or grab.
     *
     * @param home     the partition that decides it
     * @param id       id of the order or grab that it may create
     * @param key      the client's key, or the id, with which the client may retry
     * @param deadline by {@link System#nanoTime()}
     */
    public record Request(Partition home, String id, String key, long deadline) {

        private boolean hasKey() {
            return !key.equals(id);
        }
    }

    /** What is granted: an order or a grab. */
    public interface Kind<T> {

        /** The order or grab as stored in the ledger. */
        T stored(T granted);

        /** The problem of one that a guard of the ledger rejected. */
        Problem rejected(T granted);

        /** The decision about one that an earlier call created; never fails. */
        CompletableFuture<Decision> earlier(T granted);

        /**
         * The answer to a request with a key that was refused as {@code rejected} or {@code
         * key-reused}. Redis may have lost an order or grab that the ledger has, and granted
         * another one under its key, which the ledger refuses. From then on Redis compares requests
         * with that one, so what the ledger has under the key decides the answer.
         */
        CompletableFuture<Outcome<T>> first(Outcome<T> refused);
    }

    /**
     * Makes a call and waits for the ledger's decision. While the ledger is stuck, no call is made:
     * it would only take units and wait.
     *
     * @param call never fails
     */
    public <T> CompletableFuture<Outcome<T>> answer(
            Request request, Kind<T> kind, Supplier<CompletableFuture<Outcome<T>>> call) {
        if (decisions.isStuck(request.home)) {
            return CompletableFuture.completedFuture(
                    new Outcome.Refused<>(Problem.of(OutcomeCode.UNAVAILABLE)));
        }
        return decide(request, kind, call).thenCompose(outcome ->
                request.hasKey() && MAY_HIDE_FIRST.contains(outcome.code())
                        ? first(request, kind, outcome)
                        : CompletableFuture.completedFuture(outcome));
    }

    private <T> CompletableFuture<Outcome<T>> first(
            Request request, Kind<T> kind, Outcome<T> refused) {
        return kind.first(refused)
                .completeOnTimeout(unknown(request), request.deadline - System.nanoTime(),
                        TimeUnit.NANOSECONDS)
                .exceptionally(failure -> unknown(request));
    }

    private <T> Outcome<T> unknown(Request request) {
        return new Outcome.Refused<>(failures.unknown(request.key));
    }

    private <T> CompletableFuture<Outcome<T>> decide(
            Request request, Kind<T> kind, Supplier<CompletableFuture<Outcome<T>>> call) {
        // Register before the call, because it may be decided before its reply is read.
        CompletableFuture<Decision> decision = decisions.await(request.home, request.id);
        return call.get().thenCompose(outcome -> {
            if (!(outcome instanceof Outcome.Accepted<T> accepted)) {
                decision.complete(Decision.UNKNOWN);
                return CompletableFuture.completedFuture(outcome);
            }
            if (!accepted.replayed()) {
                return decision.thenApply(found -> decided(request, kind, accepted, found));
            }
            decision.complete(Decision.UNKNOWN);
            return kind.earlier(accepted.granted())
                    .completeOnTimeout(Decision.UNKNOWN, request.deadline - System.nanoTime(),
                            TimeUnit.NANOSECONDS)
                    .thenApply(found -> decided(request, kind, accepted, found));
        });
    }

    private <T> Outcome<T> decided(
            Request request, Kind<T> kind, Outcome.Accepted<T> accepted, Decision decision) {
        return switch (decision) {
            case STORED -> new Outcome.Accepted<>(
                    kind.stored(accepted.granted()), accepted.replayed());
            case REJECTED -> new Outcome.Refused<>(kind.rejected(accepted.granted()));
            case UNKNOWN -> unknown(request);
        };
    }
}
