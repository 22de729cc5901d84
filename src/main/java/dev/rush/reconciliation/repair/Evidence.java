package dev.rush.reconciliation.repair;

import dev.rush.redis.Partition;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * What the Redis of a partition knows of the ledger: what that had stored, and which steps of
 * orders clients were told of.
 *
 * @param seq   the highest number that the ledger had
 * @param epoch the highest that the ledger had
 * @param told  the latest steps, as far as they can be understood
 */
record Evidence(Partition partition, long seq, int epoch, List<Told> told) {

    private static final int WORDS = 5;

    /** A step of an order. */
    record Told(int partition, int month, UUID order, int step, String kind) {

        private static Told of(int partition, String text) {
            String[] words = text.split(" ");
            try {
                return words.length != WORDS ? null : new Told(partition,
                        Integer.parseInt(words[0]), UUID.fromString(words[1]),
                        Integer.parseInt(words[2]), words[3]);
            } catch (IllegalArgumentException e) {
                return null;
            }
        }
    }

    /** Asks for it. */
    static CompletableFuture<Evidence> read(RedisCommands redis, Partition partition) {
        return redis.read("LRANGE", partition.keys().named("told"), "0", "-1").thenCombine(
                redis.read("HMGET", partition.keys().named("ledger"), "seq", "epoch"),
                (told, ledger) -> new Evidence(partition, number(ledger.at(0)),
                        (int) number(ledger.at(1)), told.texts().stream()
                                .map(text -> Told.of(partition.index(), text))
                                .filter(step -> step != null).toList()));
    }

    private static long number(Reply reply) {
        return reply.isNull() ? 0 : reply.number();
    }
}
