package dev.rush.rain;

import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.ledger.GrabRows;
import dev.rush.ledger.OfferCache;
import dev.rush.ledger.RainLedger;
import dev.rush.offer.LedgerAnswers;
import dev.rush.offer.Outcome;
import dev.rush.order.Decision;
import dev.rush.order.Decisions;
import dev.rush.redis.Partition;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Grabs from rains whose users are answered once the ledger has decided. */
@Singleton
class LedgerGrabs {

    private final LedgerAnswers answers;
    private final Decisions decisions;
    private final TakerRecords records;
    private final OfferCache offers;
    private final RainLedger rows;

    @Inject
    LedgerGrabs(LedgerAnswers answers, Decisions decisions, TakerRecords records,
            OfferCache offers, RainLedger rows) {
        this.answers = answers;
        this.decisions = decisions;
        this.records = records;
        this.offers = offers;
        this.rows = rows;
    }

    /**
     * A grab.
     *
     * @param home     the rain's partition
     * @param grab     id of the grab that it may create
     * @param key      the client's key, or the grab's id
     * @param deadline by {@link System#nanoTime()}
     */
    record Request(String rain, Partition home, String user, String grab, String key,
            long deadline) {
    }

    /** Makes the call, which never fails, and waits for the ledger's decision. */
    CompletableFuture<Outcome<GrabView>> answer(
            Request request, Supplier<CompletableFuture<Outcome<GrabView>>> call) {
        return answers.answer(new LedgerAnswers.Request(request.home, request.grab, request.key,
                request.deadline), new Kind(request), call);
    }

    /** As {@link RainLedger#grabs}; fails with a problem while the ledger is down. */
    CompletableFuture<List<GrabRows.Stored>> of(String rain, String user) {
        return inLedger(rain, List.of(), month -> rows.grabs(month, rain, user));
    }

    private <T> CompletableFuture<T> inLedger(String rain, @Nullable T none,
            Function<Integer, CompletableFuture<T>> read) {
        return offers.findRain(rain).thenCompose(offer -> offer == null
                ? CompletableFuture.completedFuture(none) : read.apply(offer.month()));
    }

    private final class Kind implements LedgerAnswers.Kind<GrabView> {
        private final Request request;

        Kind(Request request) {
            this.request = request;
        }

        @Override
        public GrabView stored(GrabView grab) {
            return grab.decided(false);
        }

        @Override
        public Problem rejected(GrabView grab) {
            return Problem.of(OutcomeCode.REJECTED,
                    "The ledger rejected the grab " + grab.grab() + ".",
                    Map.of("order", grab.grab()));
        }

        @Override
        public CompletableFuture<Decision> earlier(GrabView grab) {
            String rain = grab.rain();
            return decisions.earlier(request.home, grab.grab(),
                    () -> records.of(rain, grab.user()).thenApply(record ->
                            record != null && record.isWaiting(grab.grab())),
                    () -> of(rain, grab.user()).thenApply(stored -> stored.stream()
                            .filter(known -> known.id().toString().equals(grab.grab())).findFirst()
                            .map(GrabRows.Stored::isRejected).orElse(null)));
        }

        @Override
        public CompletableFuture<Outcome<GrabView>> first(Outcome<GrabView> refused) {
            return inLedger(request.rain, null, month ->
                    rows.grab(month, request.rain, request.user, request.key))
                    .thenApply(known -> known == null ? refused : new Outcome.Accepted<>(
                            GrabView.of(request.rain, request.user, known), true));
        }
    }
}
