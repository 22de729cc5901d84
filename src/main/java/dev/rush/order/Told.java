package dev.rush.order;

import static java.util.stream.Collectors.joining;

import dev.rush.ledger.Actor;
import dev.rush.ledger.Order;
import dev.rush.ledger.Payment;
import dev.rush.ledger.StepKind;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Notes in Redis what clients are about to be told of their orders, so that a ledger that lost it,
 * because a standby took over without it, is noticed. A Redis that does not take the note in time
 * keeps nobody waiting.
 */
@Singleton
class Told {

    private static final long LIMIT_MS = 200;

    private final RedisCommands redis;
    private final Partitions partitions;

    @Inject
    Told(RedisCommands redis, Partitions partitions) {
        this.redis = redis;
        this.partitions = partitions;
    }

    /**
     * Notes the step that made an order what it is; completes soon, whether or not it did.
     *
     * @param order   as it is after the step
     * @param payment what the client said of it
     */
    CompletableFuture<Void> note(Order order, StepKind kind, Actor actor, Payment payment) {
        Partition partition = partitions.all().get(order.partition());
        String step = String.join(" ", Integer.toString(order.month()), order.id().toString(),
                Integer.toString(order.step()), kind.text(), actor.text()) + words(payment);
        return redis.script(OrderScripts.TOLD, partition.keys().named("told"), List.of(step))
                .<Void>thenApply(kept -> null)
                .completeOnTimeout(null, LIMIT_MS, TimeUnit.MILLISECONDS)
                .exceptionally(failure -> null);
    }

    /** Each with a blank before it; what was not stated is an empty word. */
    private static String words(Payment payment) {
        return payment.equals(Payment.NONE) ? ""
                : Stream.of(payment.reference(), payment.amount(), payment.currency())
                        .map(word -> " " + Objects.toString(word, "")).collect(joining());
    }
}
