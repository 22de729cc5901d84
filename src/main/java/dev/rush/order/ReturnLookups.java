package dev.rush.order;

import dev.rush.ledger.KnownOffers;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** What Redis knows of an order that the ledger does not have. */
@Singleton
class ReturnLookups {

    private final RedisCommands redis;
    private final KnownOffers known;
    private final BuyerRecords records;

    @Inject
    ReturnLookups(RedisCommands redis, KnownOffers known, BuyerRecords records) {
        this.redis = redis;
        this.known = known;
        this.records = records;
    }

    /** What Redis knows of an order, or of a key. */
    sealed interface Found {

        /** It was accepted: the order, and whose it is. */
        record Accepted(String order, String user) implements Found {
        }

        /** Redis has lost the sale, or a shard of it. */
        record NotLoaded() implements Found {
        }

        /** There is no such order. */
        record Unknown() implements Found {
        }

        /** No order has the key, and none gets it; with the stream's last entry at that time. */
        record Refused(String entry) implements Found {
        }
    }

    private CompletableFuture<Shards> shards(String sale) {
        return known.findSale(sale).thenApply(offer -> known.shards(offer, sale));
    }

    /**
     * Looks into the user's record, and, where the order may be anyone's, for it in the stream. A
     * shard that Redis has lost may have had the order.
     */
    CompletableFuture<Found> order(String sale, UUID order, String user, boolean anyone) {
        return shards(sale).thenCompose(all -> all.each(
                shard -> records.of(sale, shard, user)).thenCompose(found -> {
                    boolean isTheirs = found.stream()
                            .anyMatch(record -> record.order(order.toString()) != null);
                    boolean isLoaded = found.stream().allMatch(BuyerRecord::isLoaded);
                    return (isTheirs || !anyone
                            ? CompletableFuture.completedFuture(isTheirs ? user : null)
                            : records.owner(sale, all, order)).thenApply(owner ->
                                    owner != null ? new Found.Accepted(order.toString(), owner)
                                    : isLoaded ? new Found.Unknown() : new Found.NotLoaded());
                }));
    }

    /** Refuses purchases under a key from now on, or finds the order that was accepted under it. */
    CompletableFuture<Found> refuse(String sale, String user, String key) {
        return shards(sale).thenCompose(all -> redis.script(OrderScripts.TOMBSTONE,
                all.of(user).keys().sale(sale, "conf", "stock", "buyers").orders(),
                List.of(user, key))).thenApply(reply -> {
            String[] words = reply.text().split(" ");
            return switch (words[0]) {
                case "accepted" -> new Found.Accepted(words[1], user);
                case "not-loaded" -> new Found.NotLoaded();
                default -> new Found.Refused(words[1]);
            };
        });
    }

    /** Whether nothing is left in the stream of a user's orders up to and with an entry. */
    CompletableFuture<Boolean> isDrainedPast(String sale, String user, String entry) {
        return shards(sale).thenCompose(all -> redis.command("XRANGE",
                all.of(user).keys().orders(), "-", entry, "COUNT", "1"))
                .thenApply(reply -> reply.size() == 0);
    }
}
