package dev.rush.order;

import dev.rush.ledger.Actor;
import dev.rush.ledger.Order;
import dev.rush.ledger.StepKind;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

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
     * Notes the step that made an order what it is; completes soon, whether or not it did. It is
     * noted again for whoever asks again, as the first one may not have been told of it.
     *
     * @param order as it is after the step; nothing is noted of one that no step has changed
     */
    CompletableFuture<Void> note(Order order, StepKind kind, Actor actor) {
        if (order.step() == 0) {
            return CompletableFuture.completedFuture(null);
        }
        Partition partition = partitions.all().get(order.partition());
        String step = String.join(" ", Integer.toString(order.month()), order.id().toString(),
                Integer.toString(order.step()), kind.text(), actor.text());
        return redis.script(OrderScripts.TOLD, partition.keys().named("told"), List.of(step))
                .<Void>thenApply(kept -> null)
                .completeOnTimeout(null, LIMIT_MS, TimeUnit.MILLISECONDS)
                .exceptionally(failure -> null);
    }
}
