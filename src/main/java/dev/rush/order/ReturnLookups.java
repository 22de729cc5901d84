package dev.rush.order;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What Redis knows of an order that the ledger does not have. */
@Singleton
class ReturnLookups {

    private final RedisCommands redis;
    private final Partitions partitions;

    @Inject
    ReturnLookups(RedisCommands redis, Partitions partitions) {
        this.redis = redis;
        this.partitions = partitions;
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

    CompletableFuture<Found> order(String sale, String order) {
        Partition partition = partitions.of(sale);
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
        Partition partition = partitions.of(sale);
        return redis.script(ReturnScripts.TOMBSTONE, partition,
                List.of(key(partition, sale, "conf"), key(partition, sale, "stock"),
                        key(partition, sale, "keys"), partition.orders()),
                List.of(user, key)).thenApply(reply -> {
                    String[] words = reply.text().split(" ");
                    boolean accepted = words[0].equals("accepted");
                    return new Found(words[0], accepted ? words[1] : null, user,
                            accepted || words.length == 1 ? null : words[1]);
                });
    }

    /** Whether nothing is left in a sale's stream up to and with an entry. */
    CompletableFuture<Boolean> isDrainedPast(String sale, String entry) {
        Partition partition = partitions.of(sale);
        return redis.command(partition, "XRANGE", partition.orders(), "-", entry, "COUNT", "1")
                .thenApply(reply -> reply.size() == 0);
    }

    private static String key(Partition partition, String sale, String part) {
        return partition.key("sale:" + sale + ":" + part);
    }
}
