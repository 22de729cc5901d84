package dev.rush.sale;

import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.ledger.Order;
import dev.rush.ledger.OrderStatus;
import dev.rush.offer.LedgerAnswers;
import dev.rush.offer.Outcome;
import dev.rush.order.Decision;
import dev.rush.order.EarlierDecisions;
import dev.rush.order.Statuses;
import dev.rush.redis.Partition;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Purchases of sales whose buyers are answered once the ledger has decided. */
@Singleton
class LedgerOrders {

    private final LedgerAnswers answers;
    private final EarlierDecisions earlier;
    private final Statuses statuses;

    @Inject
    LedgerOrders(LedgerAnswers answers, EarlierDecisions earlier, Statuses statuses) {
        this.answers = answers;
        this.earlier = earlier;
        this.statuses = statuses;
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

        boolean isSame(Order known) {
            return known.digest().equals(lines.digest())
                    && (!lines.digest().equals("=") || known.lines().equals(lines.text()));
        }
    }

    /** Makes the call, which never fails, and waits for the ledger's decision. */
    CompletableFuture<Outcome<OrderView>> answer(
            Request request, Supplier<CompletableFuture<Outcome<OrderView>>> call) {
        return answers.answer(new LedgerAnswers.Request(request.home, request.order, request.key,
                request.deadline), new Kind(request), call);
    }

    private static Outcome<OrderView> first(
            Request request, @Nullable Order known, Outcome<OrderView> refused) {
        if (known == null || refused.code() == OutcomeCode.REJECTED
                && known.status() == OrderStatus.REJECTED) {
            return refused;
        }
        if (!request.isSame(known)) {
            return new Outcome.Refused<>(Problem.of(OutcomeCode.KEY_REUSED));
        }
        return known.status() == OrderStatus.REJECTED
                ? new Outcome.Refused<>(Statuses.rejected(known.id().toString()))
                : new Outcome.Accepted<>(stored(OrderView.of(known)), true);
    }

    /** The order as it was stored, whatever its status is now. */
    private static OrderView stored(OrderView order) {
        return order.withStatus(order.payBy() == null ? "confirmed" : "reserved");
    }

    private final class Kind implements LedgerAnswers.Kind<OrderView> {
        private final Request request;

        Kind(Request request) {
            this.request = request;
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
            return earlier.of(order.sale(), request.home, order.user(), order.order());
        }

        @Override
        public CompletableFuture<Outcome<OrderView>> first(Outcome<OrderView> refused) {
            return statuses.byKey(request.sale, request.user, request.key)
                    .thenApply(known -> LedgerOrders.first(request, known, refused));
        }
    }
}
