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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Purchases of sales whose buyers are answered once the ledger has decided. */
@Singleton
class LedgerOrders {

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
     * @param order    that it may create
     * @param key      the client's key, or the order's id
     * @param deadline of the request, by {@link System#nanoTime()}
     */
    record Asked(String sale, Partition home, String user, String order, String key, Lines lines,
            long deadline) {

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
            Asked asked, Supplier<CompletableFuture<Outcome<OrderView>>> call) {
        return answers.answer(new LedgerAnswers.Asked(
                asked.home, asked.order, asked.key, asked.deadline), new Kind(asked.home), call)
                .thenCompose(outcome -> outcome.word() == Word.REJECTED && asked.hasKey()
                        ? first(asked, outcome) : CompletableFuture.completedFuture(outcome));
    }

    /**
     * Redis may have lost an order that the ledger has, and accepted another one under its key,
     * which the ledger refused. Then the first answer counts.
     */
    private CompletableFuture<Outcome<OrderView>> first(
            Asked asked, Outcome<OrderView> rejected) {
        return statuses.byKey(asked.sale, asked.user, asked.key)
                .thenApply(known -> first(asked, known, rejected))
                .completeOnTimeout(unknown(asked), asked.deadline - System.nanoTime(),
                        TimeUnit.NANOSECONDS)
                .exceptionally(failure -> unknown(asked));
    }

    private static Outcome<OrderView> first(
            Asked asked, Order known, Outcome<OrderView> rejected) {
        if (known == null || known.status() == OrderStatus.REJECTED) {
            return rejected;
        }
        return asked.isSame(known)
                ? new Outcome.Accepted<>(stored(OrderView.of(known)), true)
                : new Outcome.Refused<>(Problem.of(Word.KEY_REUSED));
    }

    private Outcome<OrderView> unknown(Asked asked) {
        return new Outcome.Refused<>(failures.unknown(asked.key));
    }

    /** The order as it was stored, whatever its status is now. */
    private static OrderView stored(OrderView order) {
        return order.as(order.payBy() == null ? "confirmed" : "reserved");
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
