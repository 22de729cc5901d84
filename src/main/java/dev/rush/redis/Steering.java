package dev.rush.redis;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/** Pausing, resuming and closing what has a window: sales and rains. */
@Singleton
public class Steering {

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
    public CompletableFuture<String> steer(
            Partition partition, String conf, Action action, String unknown) {
        return redis.script(StateScripts.STEER, partition, List.of(conf),
                List.of(action.name().toLowerCase(Locale.ROOT), unknown)).thenApply(Reply::text);
    }
}
