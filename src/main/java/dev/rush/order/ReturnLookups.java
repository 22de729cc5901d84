package dev.rush.order;

import dev.rush.ledger.OfferCache;
import dev.rush.ledger.OrderStatus;
import dev.rush.order.BuyerRecord.Line;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Looks up orders in Redis that the ledger does not have. */
@Singleton
class ReturnLookups {

    private final RedisCommands redis;
    private final OfferCache known;
    private final BuyerRecords records;

    @Inject
    ReturnLookups(RedisCommands redis, OfferCache known, BuyerRecords records) {
        this.redis = redis;
        this.known = known;
        this.records = records;
    }

    /** What Redis knows of an order or a key. */
    sealed interface Found {

        /** The order was accepted and has not ended. */
        record Accepted(String order, String user) implements Found {
        }

        /** The order has ended, so a ledger without it has lost it. */
        record Ended(String order, String user, OrderStatus status) implements Found {
        }

        /** Redis has lost the sale, or a shard of it. */
        record NotLoaded() implements Found {
        }

        /** There is no such order. */
        record Unknown() implements Found {
        }

        /**
         * No order has the key, and none will get it.
         *
         * @param entry last entry of the stream at that time
         */
        record Refused(String entry) implements Found {
        }
    }

    private CompletableFuture<Shards> shards(String sale) {
        return known.findSale(sale).thenApply(offer -> known.shards(offer, sale));
    }

    /**
     * Reads the user's record and, if the order may belong to any user, searches the stream. A
     * shard that Redis has lost may have had the order.
     */
    CompletableFuture<Found> order(String sale, UUID order, String user, boolean anyone) {
        return shards(sale).thenCompose(all -> all.each(
                shard -> records.of(sale, shard, user)).thenCompose(found -> {
                    Line line = found.stream().map(record -> record.order(order.toString()))
                            .filter(Objects::nonNull).findFirst().orElse(null);
                    if (line != null) {
                        return CompletableFuture.completedFuture(line.isAccepted()
                                ? new Found.Accepted(line.order(), user)
                                : new Found.Ended(line.order(), user,
                                        OrderStatus.of(line.status())));
                    }
                    boolean isLoaded = found.stream().allMatch(BuyerRecord::isLoaded);
                    return (anyone ? records.owner(sale, all, order)
                            : CompletableFuture.<String>completedFuture(null)).thenApply(owner ->
                                    owner != null ? new Found.Accepted(order.toString(), owner)
                                    : isLoaded ? new Found.Unknown() : new Found.NotLoaded());
                }));
    }

    /** Refuses purchases under a key from now on, or finds the order that was accepted under it. */
    CompletableFuture<Found> refuse(String sale, String user, String key) {
        return shards(sale).thenCompose(all -> redis.script(OrderScripts.TOMBSTONE,
                all.of(user).keys().sale(sale, "conf", "stock", "buyers").orders(),
                List.of(user, key))).thenCompose(reply -> {
            String[] words = reply.word().split(" ");
            return words[0].equals("accepted")
                    ? order(sale, UUID.fromString(words[1]), user, false).thenApply(found ->
                            found instanceof Found.Unknown ? new Found.NotLoaded() : found)
                    : CompletableFuture.completedFuture(words[0].equals("not-loaded")
                            ? new Found.NotLoaded() : new Found.Refused(words[1]));
        });
    }

    /** Whether the stream of a user's orders is drained up to and including an entry. */
    CompletableFuture<Boolean> isDrainedPast(String sale, String user, String entry) {
        return shards(sale).thenCompose(all -> redis.command("XRANGE",
                all.of(user).keys().orders(), "-", entry, "COUNT", "1"))
                .thenApply(reply -> reply.size() == 0);
    }
}
