package dev.rush.order;

import static java.util.stream.Collectors.joining;

import dev.rush.ledger.Actor;
import dev.rush.ledger.Order;
import dev.rush.ledger.OwedCredit;
import dev.rush.ledger.Payment;
import dev.rush.ledger.StepKind;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Records in Redis the steps that are about to be reported to clients, and the expiries whose units
 * are about to be sold again. If the ledger loses them, because a standby took over without them,
 * this shows the loss. A Redis that does not answer in time delays no client.
 */
@Singleton
class Told {

    private static final long LIMIT_MS = 200;
    private static final Actor EXPIRY = Actor.service("expiry");

    private final RedisCommands redis;
    private final Partitions partitions;

    @Inject
    Told(RedisCommands redis, Partitions partitions) {
        this.redis = redis;
        this.partitions = partitions;
    }

    /**
     * Records the step that gave an order its status; completes soon, whether or not it succeeded.
     * It is recorded again for a repeated call, because the first one may have failed before
     * recording it.
     *
     * @param order   the order after the step; nothing is recorded for an order without steps
     * @param payment as stated by the client
     */
    CompletableFuture<Void> note(Order order, StepKind kind, Actor actor, Payment payment) {
        if (order.step() == 0) {
            return CompletableFuture.completedFuture(null);
        }
        return note("told", order.partition(), order.month(), order.id(), order.step(), kind,
                actor.text() + words(payment));
    }

    /**
     * Records that orders of a partition have expired, before their units are sold again; completes
     * soon, whether or not it succeeded. One of those that expired together is enough, because a
     * ledger has all of their steps or none.
     */
    CompletableFuture<Void> noteExpired(List<OwedCredit> ended) {
        return ended.stream().filter(OwedCredit::expired).findFirst()
                .map(one -> note("expired", one.partition(), one.month(), one.order(),
                        one.step(), StepKind.EXPIRED, EXPIRY.text()))
                .orElseGet(() -> CompletableFuture.completedFuture(null));
    }

    private CompletableFuture<Void> note(String list, int partition, int month, UUID order,
            int number, StepKind kind, String rest) {
        String step = String.join(" ", Integer.toString(month), order.toString(),
                Integer.toString(number), kind.text(), rest);
        return redis.script(OrderScripts.TOLD, partitions.all().get(partition).keys().named(list),
                List.of(step))
                .<Void>thenApply(kept -> null)
                .completeOnTimeout(null, LIMIT_MS, TimeUnit.MILLISECONDS)
                .exceptionally(failure -> null);
    }

    /** The words, each preceded by a space; a missing value is an empty word. */
    private static String words(Payment payment) {
        return payment.equals(Payment.NONE) ? ""
                : Stream.of(payment.reference(), payment.amount(), payment.currency())
                        .map(word -> " " + Objects.toString(word, "")).collect(joining());
    }
}
