package dev.rush.order;

import static java.util.stream.Collectors.joining;

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
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Records in Redis the steps that are about to be reported to clients, and the ends of orders whose
 * units are about to be sold again. They are the evidence if a standby takes over without them.
 * Redis records nothing in a former epoch, because that ledger may be lost; the future then fails
 * with {@code outcome-unknown}.
 */
@Singleton
class ReportedSteps {

    private static final long LIMIT_MS = 200;
    private static final long REQUIRED_LIMIT_MS = 2_000;
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
     * Records the step that gave an order its status. It is recorded again for a repeated call,
     * because the first one may have failed before recording it.
     *
     * @param order    the order after the step; nothing is recorded for an order without steps
     * @param epoch    {@linkplain dev.rush.ledger.LedgerState#checkedEpoch() of the transaction}
     *                 that made the step or found it
     * @param payment  as stated by the client
     * @param required whether to fail with {@code outcome-unknown} if Redis has not recorded the
     *                 step within 2 s; otherwise waits at most 200 ms
     * @return whether Redis has recorded the step, or there is none
     */
    CompletableFuture<Boolean> note(Order order, int epoch, StepKind kind, Actor actor,
            Payment payment, boolean required) {
        if (order.step() == 0) {
            return CompletableFuture.completedFuture(true);
        }
        String step = step(order.month(), order.id(), order.step(), kind,
                actor.text() + words(payment));
        return note("reported", order.partition(), epoch, List.of(step), required);
    }

    /**
     * Records the newest expiry of a batch, before the batch's units are sold again. That is
     * enough, because a ledger that has this step has the earlier ones. Fails with {@code
     * outcome-unknown} if Redis has not recorded it within 2 s; the units then stay owed.
     */
    CompletableFuture<Boolean> noteExpired(List<OwedCredit> ended) {
        return ended.stream().filter(OwedCredit::expired)
                .reduce((older, newer) -> newer)
                .map(one -> noteEnded(List.of(one)))
                .orElseGet(() -> CompletableFuture.completedFuture(true));
    }

    /**
     * Records the ends of orders whose credits are retried. Fails like {@link #noteExpired}. Each
     * is recorded, because retries do not follow the order of the steps, so that the newest implies
     * no other; but at most once a minute, so that many retries do not keep displacing each other.
     */
    CompletableFuture<Boolean> noteRetried(List<OwedCredit> ended) {
        List<OwedCredit> due = ended.stream()
                .filter(one -> retried.getIfPresent(Retried.of(one)) == null).toList();
        return due.isEmpty() ? CompletableFuture.completedFuture(true)
                : noteEnded(due).thenApply(noted -> {
                    due.forEach(one -> retried.put(Retried.of(one), true));
                    return noted;
                });
    }

    /** A retried credit whose step Redis has recorded. */
    private record Retried(UUID order, int epoch) {

        static Retried of(OwedCredit credit) {
            return new Retried(credit.order(), credit.epoch());
        }
    }

    private CompletableFuture<Boolean> noteEnded(List<OwedCredit> ended) {
        return note("expired", ended.get(0).partition(), ended.get(0).epoch(), ended.stream()
                .map(one -> step(one.month(), one.order(), one.step(),
                        one.expired() ? StepKind.EXPIRED : StepKind.RETURNED, one.actor()))
                .toList(), true);
    }

    private static String step(int month, UUID order, int number, StepKind kind, String rest) {
        return String.join(" ", Integer.toString(month), order.toString(),
                Integer.toString(number), kind.text(), rest);
    }

    private CompletableFuture<Boolean> note(String list, int partition, int epoch,
            List<String> steps, boolean required) {
        List<String> args = new ArrayList<>(List.of(Integer.toString(epoch)));
        args.addAll(steps);
        return redis.script(OrderScripts.REPORT,
                partitions.all().get(partition).keys().named(list, "ledger"), args)
                .thenApply(Reply::number)
                .completeOnTimeout(UNANSWERED, required ? REQUIRED_LIMIT_MS : LIMIT_MS,
                        TimeUnit.MILLISECONDS)
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

    /** The words, each preceded by a space; a missing value is an empty word. */
    private static String words(Payment payment) {
        return payment.equals(Payment.NONE) ? ""
                : Stream.of(payment.reference(), payment.amount(), payment.currency())
                        .map(word -> " " + Objects.toString(word, "")).collect(joining());
    }
}
