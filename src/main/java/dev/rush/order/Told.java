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
 * Notes in Redis what clients are about to be told of their orders, and what is about to be sold
 * again, so that a ledger that lost it,
 * because a standby took over without it, is noticed. A Redis that does not take the note in time
 * keeps nobody waiting.
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
     * Notes the step that made an order what it is; completes soon, whether or not it did. It is
     * noted again for whoever asks again, as the first one may not have been told of it.
     *
     * @param order   as it is after the step; nothing is noted of one that no step has changed
     * @param payment what the client said of it
     */
    CompletableFuture<Void> note(Order order, StepKind kind, Actor actor, Payment payment) {
        if (order.step() == 0) {
            return CompletableFuture.completedFuture(null);
        }
        return note("told", order.partition(), order.month(), order.id(), order.step(), kind,
                actor.text() + words(payment));
    }

    /**
     * Notes that orders of a partition have expired, before their units are sold again; completes
     * soon, whether or not it did. One of those that expired together is enough, as a ledger has
     * all of their steps or none.
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

    /** Each with a blank before it; what was not stated is an empty word. */
    private static String words(Payment payment) {
        return payment.equals(Payment.NONE) ? ""
                : Stream.of(payment.reference(), payment.amount(), payment.currency())
                        .map(word -> " " + Objects.toString(word, "")).collect(joining());
    }
}
