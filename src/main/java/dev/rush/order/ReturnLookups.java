package dev.rush.order;

import dev.rush.redis.Partition;
import dev.rush.redis.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What Redis knows of an order that the ledger does not have. */
@Singleton
class ReturnLookups {

    private final RedisCommands redis;
    private final SaleShards shards;

    @Inject
    ReturnLookups(RedisCommands redis, SaleShards shards) {
        this.redis = redis;
        this.shards = shards;
    }

    /**
     * What Redis found.
     *
     * @param word  accepted, not-loaded, unknown-order or order-returned
     * @param order the accepted order that has the key, when that was asked
     * @param user  whose the order is, when that was asked
     * @param entry last entry of the stream when the key was refused for good
     */
    record Found(String word, String order, String user, String entry) {

        boolean isAccepted() {
            return word.equals("accepted");
        }

        boolean isNotLoaded() {
            return word.equals("not-loaded");
        }
    }

    /** Looks into all shards; one that Redis has lost may have had the order. */
    CompletableFuture<Found> order(String sale, String order) {
        return shards.of(sale).thenCompose(all -> all.each(shard -> find(shard, sale, order)))
                .thenApply(found -> found.stream().filter(Found::isAccepted).findFirst()
                        .or(() -> found.stream().filter(Found::isNotLoaded).findFirst())
                        .orElse(found.get(0)));
    }

    private CompletableFuture<Found> find(Partition partition, String sale, String order) {
        return redis.script(ReturnScripts.FIND, partition,
                List.of(key(partition, sale, "conf"), key(partition, sale, "stock"),
                        key(partition, sale, "orders")), List.of(order)).thenApply(reply -> {
                            String[] words = reply.text().split(" ");
                            return new Found(words[0], order,
                                    words.length > 1 ? words[1] : null, null);
                        });
    }

    /** Refuses purchases under a key from now on, or finds the order that was accepted under it. */
    CompletableFuture<Found> refuse(String sale, String user, String key) {
        return shards.of(sale).thenCompose(all -> {
            Partition home = all.of(user);
            return redis.script(ReturnScripts.TOMBSTONE, home,
                    List.of(key(home, sale, "conf"), key(home, sale, "stock"),
                            key(home, sale, "keys"), home.orders()), List.of(user, key));
        }).thenApply(reply -> {
            String[] words = reply.text().split(" ");
            boolean accepted = words[0].equals("accepted");
            return new Found(words[0], accepted ? words[1] : null, user,
                    accepted || words.length == 1 ? null : words[1]);
        });
    }

    /** Whether nothing is left in the stream of a user's orders up to and with an entry. */
    CompletableFuture<Boolean> isDrainedPast(String sale, String user, String entry) {
        return shards.of(sale).thenCompose(all -> redis.command(all.of(user), "XRANGE",
                all.of(user).orders(), "-", entry, "COUNT", "1"))
                .thenApply(reply -> reply.size() == 0);
    }

    private static String key(Partition partition, String sale, String part) {
        return partition.key("sale:" + sale + ":" + part);
    }
}
