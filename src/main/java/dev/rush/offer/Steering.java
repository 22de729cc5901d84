package dev.rush.offer;

import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/** Pausing, resuming and closing what has a window: sales and rains. */
@Singleton
public class Steering {

    /** No version, or no note. */
    private static final String NONE = "-";

    private final RedisCommands redis;

    @Inject
    Steering(RedisCommands redis) {
        this.redis = redis;
    }

    /** What an operator does to a sale or rain that is there. */
    public enum Action { PAUSE, RESUME, CLOSE }

    /**
     * Does it; repeating it changes nothing.
     *
     * @param conf    the key of the terms and state
     * @param unknown the word for a thing that is not there
     * @return {@code done}, or the word that says why not
     */
    public CompletableFuture<String> steer(Keys conf, Action action, String unknown) {
        return redis.change(OfferScripts.STEER, conf,
                List.of(word(action), unknown, NONE, NONE)).thenApply(reply -> words(reply)[0]);
    }

    /**
     * Does it to the first of several shards, and notes there that the others have to follow.
     *
     * @param note the name of the note
     * @return {@code done} and the version of the change, or the word that says why not
     */
    public CompletableFuture<String[]> decide(
            Keys conf, String note, Action action, String unknown) {
        return redis.change(OfferScripts.STEER, conf.unfinished(),
                List.of(word(action), unknown, NONE, note)).thenApply(Steering::words);
    }

    /**
     * Does it to another shard, unless that has followed a later change already.
     *
     * @return whether it had not
     */
    public CompletableFuture<Boolean> follow(
            Keys conf, Action action, String version, String unknown) {
        return redis.change(OfferScripts.STEER, conf,
                List.of(word(action), unknown, version, NONE)).thenApply(Steering::words)
                .thenApply(words -> words.length == 1 || words[1].equals(version));
    }

    /** Forgets the note of a change that all shards have followed, if none came after it. */
    public CompletableFuture<Void> followed(Partition first, String note, String version) {
        return redis.script(OfferScripts.STEERED, first.keys().unfinished(),
                List.of(note, version)).thenAccept(removed -> { });
    }

    private static String word(Action action) {
        return action.name().toLowerCase(Locale.ROOT);
    }

    private static String[] words(Reply reply) {
        return reply.text().split(" ");
    }
}
