package dev.rush.sale;

import dev.rush.http.Problem;
import dev.rush.http.Word;
import dev.rush.ledger.Order;
import dev.rush.ledger.OrderStatus;
import dev.rush.offer.FailedCalls;
import dev.rush.offer.LedgerAnswers;
import dev.rush.offer.Outcome;
import dev.rush.order.Decision;
import dev.rush.order.EarlierDecisions;
import dev.rush.order.Statuses;
import dev.rush.redis.Partition;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Purchases of sales whose buyers are answered once the ledger has decided. */
@Singleton
class LedgerOrders {
    /** Refusals behind which the ledger may have an earlier order under the key. */
    private static final Set<Word> MAY_HIDE_FIRST = Set.of(Word.REJECTED, Word.KEY_REUSED);

    private final LedgerAnswers answers;
    private final EarlierDecisions earlier;
    private final Statuses statuses;
    private final FailedCalls failures;

    @Inject
    LedgerOrders(LedgerAnswers answers, EarlierDecisions earlier, Statuses statuses,
            FailedCalls failures) {
        this.answers = answers;
        this.earlier = earlier;
        this.statuses = statuses;
        this.failures = failures;
    }

    /**
     * A purchase.
     *
     * @param home     the user's shard
     * @param order    id of the order that it may create
     * @param key      the client's key, or the order's id
     * @param deadline by {@link System#nanoTime()}
     */
    record Request(String sale, Partition home, String user, String order, String key,
            PurchaseLines lines, long deadline) {

        boolean hasKey() {
            return !key.equals(order);
        }

        boolean isSame(Order known) {
            return known.digest().equals(lines.digest())
                    && (!lines.digest().equals("=") || known.lines().equals(lines.text()));
        }
    }

    /** Makes the call, which never fails, and waits for the ledger's decision. */
    CompletableFuture<Outcome<OrderView>> answer(
            Request request, Supplier<CompletableFuture<Outcome<OrderView>>> call) {
        return answers.answer(new LedgerAnswers.Request(
                request.home, request.order, request.key, request.deadline),
                new Kind(request.home), call)
                .thenCompose(outcome -> request.hasKey() && MAY_HIDE_FIRST.contains(outcome.word())
                        ? firstAnswer(request, outcome)
                        : CompletableFuture.completedFuture(outcome));
    }

    /**
     * Redis may have lost an order that the ledger has, and accepted another one under its key,
     * which the ledger refuses. From then on Redis compares requests with that one, so the ledger's
     * order decides the answer.
     */
    private CompletableFuture<Outcome<OrderView>> firstAnswer(
            Request request, Outcome<OrderView> refused) {
        return statuses.byKey(request.sale, request.user, request.key)
                .thenApply(known -> firstAnswer(request, known, refused))
                .completeOnTimeout(unknown(request), request.deadline - System.nanoTime(),
                        TimeUnit.NANOSECONDS)
                .exceptionally(failure -> unknown(request));
    }

    private static Outcome<OrderView> firstAnswer(
            Request request, @Nullable Order known, Outcome<OrderView> refused) {
        if (known == null || refused.word() == Word.REJECTED
                && known.status() == OrderStatus.REJECTED) {
            return refused;
        }
        if (!request.isSame(known)) {
            return new Outcome.Refused<>(Problem.of(Word.KEY_REUSED));
        }
        return known.status() == OrderStatus.REJECTED
                ? new Outcome.Refused<>(Statuses.rejected(known.id().toString()))
                : new Outcome.Accepted<>(stored(OrderView.of(known)), true);
    }

    private Outcome<OrderView> unknown(Request request) {
        return new Outcome.Refused<>(failures.unknown(request.key));
    }

    /** The order as it was stored, whatever its status is now. */
    private static OrderView stored(OrderView order) {
        return order.withStatus(order.payBy() == null ? "confirmed" : "reserved");
    }

    /** Orders of users of this shard. */
    private final class Kind implements LedgerAnswers.Kind<OrderView> {
        private final Partition home;

        Kind(Partition home) {
            this.home = home;
        }

        @Override
        public OrderView stored(OrderView order) {
            return LedgerOrders.stored(order);
        }

        @Override
        public Problem rejected(OrderView order) {
            return Statuses.rejected(order.order());
        }

        @Override
        public CompletableFuture<Decision> earlier(OrderView order) {
            return earlier.of(order.sale(), home, order.user(), order.order());
        }
    }
}
