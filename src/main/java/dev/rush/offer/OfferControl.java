package dev.rush.offer;

import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.redis.Change;
import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Pauses, resumes and closes sales and rains. */
@Singleton
public class OfferControl {

    /** No version, or no note. */
    private static final String NONE = "-";

    private final RedisCommands redis;

    @Inject
    OfferControl(RedisCommands redis) {
        this.redis = redis;
    }

    /** Operators' actions on an existing sale or rain. */
    public enum Action { PAUSE, RESUME, CLOSE }

    /** The outcome of a change. */
    public sealed interface Result {

        /** The change is in force; {@code version} is that of the latest change. */
        record Done(String version) implements Result {
        }

        /** It was refused, with the reason. */
        record Refused(OutcomeCode code) implements Result {
        }

        /** The only place that reads a reply of the script. */
        private static Result of(Reply reply) {
            String[] words = reply.word().split(" ");
            return words[0].equals("done") ? new Done(words[1])
                    : new Refused(OutcomeCode.of(words[0]));
        }

        /**
         * The problem to answer, or null if the change is in force. Closing something that is
         * already closed and retired is not a problem.
         *
         * @param unknown the code if it does not exist
         * @param absence why it does not exist
         */
        default @Nullable Problem problem(
                Action action, OutcomeCode unknown, Supplier<OutcomeCode> absence) {
            if (!(this instanceof Refused refused)) {
                return null;
            }
            OutcomeCode code = refused.code == unknown ? absence.get() : refused.code;
            return code == OutcomeCode.CLOSED && action == Action.CLOSE ? null : Problem.of(code);
        }
    }

    /**
     * Applies an action. Repeating it changes nothing.
     *
     * @param conf    the key of the terms and state
     * @param unknown the code if it does not exist
     * @param change  the actor, for the ledger
     */
    public CompletableFuture<Result> apply(
            Keys conf, Action action, OutcomeCode unknown, Change change) {
        return send(conf.unfinished(), action, unknown, NONE, NONE, change);
    }

    /**
     * Applies an action to the first of several shards, and notes there that the others have to
     * follow.
     *
     * @param note the name of the note
     */
    public CompletableFuture<Result> decide(
            Keys conf, String note, Action action, OutcomeCode unknown, Change change) {
        return send(conf.unfinished(), action, unknown, NONE, note, change);
    }

    /**
     * Applies a change to another shard, unless that has already followed a later one.
     *
     * @return whether it was applied
     */
    public CompletableFuture<Boolean> follow(
            Keys conf, Action action, String version, OutcomeCode unknown) {
        return send(conf, action, unknown, version, NONE, Change.NONE).thenApply(result ->
                !(result instanceof Result.Done done) || done.version.equals(version));
    }

    private CompletableFuture<Result> send(
            Keys keys, Action action, OutcomeCode unknown, String version, String note,
            Change change) {
        return redis.change(OfferScripts.CONTROL, change.keys(keys), change.args(
                action.name().toLowerCase(Locale.ROOT), unknown.text(), version, note))
                .thenApply(Result::of);
    }

    /**
     * Removes the note of a change that all shards have followed, unless a later change replaced
     * it.
     */
    public CompletableFuture<Void> followed(Partition first, String note, String version) {
        return redis.script(OfferScripts.FOLLOWED, first.keys().unfinished(),
                List.of(note, version)).thenAccept(removed -> { });
    }
}
