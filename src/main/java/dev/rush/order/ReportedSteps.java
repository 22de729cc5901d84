package dev.rush.order;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.rush.ledger.Actor;
import dev.rush.ledger.LedgerProblems;
import dev.rush.ledger.Order;
import dev.rush.ledger.OwedCredit;
import dev.rush.ledger.Payment;
import dev.rush.ledger.StepKind;
import dev.rush.redis.Partitions;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Records steps in Redis before they are reported to clients, or before units of an ended order are
 * sold again. They are evidence if a standby takes over without them. Redis records nothing for a
 * former epoch, because that ledger may be lost; the call then fails with {@code outcome-unknown}.
 */
@Singleton
class ReportedSteps {

    private static final long TIMEOUT_MS = 200;
    private static final long REQUIRED_TIMEOUT_MS = 2_000;
    private static final long FORMER_EPOCH = -1;
    private static final long UNANSWERED = -2;
    private static final int RETRIED_MAX = 10_000;

    private final Cache<Retried, Boolean> retried = Caffeine.newBuilder()
            .maximumSize(RETRIED_MAX).expireAfterWrite(1, TimeUnit.MINUTES).build();
    private final RedisCommands redis;
    private final Partitions partitions;

    @Inject
    ReportedSteps(RedisCommands redis, Partitions partitions) {
        this.redis = redis;
        this.partitions = partitions;
    }

    /**
     * Records the step that gave an order its status. A repeated call records it again, because the
     * first call may have failed before that.
     *
     * @param order    the order after the step; nothing is recorded for an order without steps
     * @param epoch    {@linkplain dev.rush.ledger.LedgerState#checkedEpoch() of the transaction}
     *                 that made the step or found it
     * @param payment  as stated by the client
     * @param required whether to fail with {@code outcome-unknown} if Redis has not recorded the
     *                 step within 2 s; otherwise waits at most 200 ms
     * @return whether Redis has recorded the step, or there is none
     */
    CompletableFuture<Boolean> record(Order order, int epoch, StepKind kind, Actor actor,
            Payment payment, boolean required) {
        if (order.step() == 0) {
            return CompletableFuture.completedFuture(true);
        }
        return record("reported", epoch, List.of(new ReportedStep(order.partition(), order.month(),
                order.id(), order.step(), kind.text(), actor.text(), payment)), required);
    }

    /**
     * Records the newest expiry of a batch before the batch's units are sold again. That is enough,
     * because a ledger that has this step also has the earlier ones. Fails with {@code
     * outcome-unknown} if Redis has not recorded it within 2 s; the units then stay owed.
     */
    CompletableFuture<Boolean> recordExpired(List<OwedCredit> ended) {
        return ended.stream().filter(OwedCredit::expired)
                .reduce((older, newer) -> newer)
                .map(newest -> recordEnded(List.of(newest)))
                .orElseGet(() -> CompletableFuture.completedFuture(true));
    }

    /**
     * Records the ends of orders whose credits are retried. Fails like {@link #recordExpired}. Each
     * is recorded, because retries do not follow the order of the steps, so the newest implies no
     * other; but at most once a minute, so that frequent retries do not displace other steps.
     */
    CompletableFuture<Boolean> recordRetried(List<OwedCredit> ended) {
        List<OwedCredit> due = ended.stream()
                .filter(credit -> retried.getIfPresent(Retried.of(credit)) == null).toList();
        return due.isEmpty() ? CompletableFuture.completedFuture(true)
                : recordEnded(due).thenApply(recorded -> {
                    due.forEach(credit -> retried.put(Retried.of(credit), true));
                    return recorded;
                });
    }

    /** A retried credit whose step Redis has recorded. */
    private record Retried(UUID order, int epoch) {

        static Retried of(OwedCredit credit) {
            return new Retried(credit.order(), credit.epoch());
        }
    }

    private CompletableFuture<Boolean> recordEnded(List<OwedCredit> ended) {
        return record("expired", ended.get(0).epoch(), ended.stream().map(ReportedSteps::end)
                .toList(), true);
    }

    /** The step that ended an order. */
    private static ReportedStep end(OwedCredit credit) {
        StepKind kind = credit.expired() ? StepKind.EXPIRED : StepKind.RETURNED;
        return new ReportedStep(credit.partition(), credit.month(), credit.order(), credit.step(),
                kind.text(), credit.actor(), Payment.NONE);
    }

    /** How long a call waits for Redis. */
    long timeoutMs(boolean required) {
        return required ? REQUIRED_TIMEOUT_MS : TIMEOUT_MS;
    }

    /** Records steps of one partition. */
    private CompletableFuture<Boolean> record(String list, int epoch, List<ReportedStep> steps,
            boolean required) {
        List<String> args = new ArrayList<>(List.of(Integer.toString(epoch)));
        steps.forEach(step -> args.add(step.text()));
        return redis.script(OrderScripts.REPORT,
                partitions.all().get(steps.get(0).partition()).keys().named(list, "ledger"), args)
                .thenApply(Reply::number)
                .completeOnTimeout(UNANSWERED, timeoutMs(required), TimeUnit.MILLISECONDS)
                .exceptionally(failure -> UNANSWERED)
                .thenApply(kept -> {
                    if (kept == FORMER_EPOCH) {
                        throw LedgerProblems.mayBeLost();
                    }
                    if (kept == UNANSWERED && required) {
                        throw LedgerProblems.unrecorded();
                    }
                    return kept != UNANSWERED;
                });
    }
}
