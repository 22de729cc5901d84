package dev.rush.http;

import dev.rush.RushConfig;
import dev.rush.redis.RedisCommands;
import dev.rush.redis.RedisStartup;
import io.quarkus.runtime.StartupEvent;
import io.vertx.core.Vertx;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jboss.logging.Logger;

/**
 * Users who may neither buy nor grab. The list lies in Redis; each pod judges by a copy, which it
 * reads again when the list's version has changed, so a change is in force everywhere within
 * {@code rush.blocklist.refresh} and a round trip. While Redis is away the last copy holds.
 */
@Singleton
public class Blocklist {

    private static final Logger LOG = Logger.getLogger(Blocklist.class);
    private static final String USERS = "rush:{blocklist}:users";
    private static final String VERSION = "rush:{blocklist}:version";

    private final RedisCommands redis;
    private final Vertx vertx;
    private final RedisStartup startup;
    private final long refreshMs;
    private volatile Set<String> copy = Set.of();
    private volatile String copyVersion = "";

    @Inject
    Blocklist(RedisCommands redis, Vertx vertx, RedisStartup startup, RushConfig config) {
        this.redis = redis;
        this.vertx = vertx;
        this.startup = startup;
        this.refreshMs = config.blocklist().refresh().toMillis();
    }

    void start(@Observes StartupEvent event) {
        vertx.setTimer(refreshMs, ignored -> refresh());
    }

    /** Whether this pod's copy names the user. */
    public boolean contains(String user) {
        Set<String> users = copy;
        return !users.isEmpty() && users.contains(user);
    }

    /** Blocks a user, or does nothing when blocked already. */
    CompletableFuture<Void> add(String user) {
        return redis.commandOnKey(USERS, "SADD", USERS, user).thenCompose(done -> changed());
    }

    /** Lets a user in again, or does nothing when not blocked. */
    CompletableFuture<Void> remove(String user) {
        return redis.commandOnKey(USERS, "SREM", USERS, user).thenCompose(done -> changed());
    }

    /** Whether Redis has the user on the list. */
    CompletableFuture<Boolean> find(String user) {
        return redis.commandOnKey(USERS, "SISMEMBER", USERS, user)
                .thenApply(reply -> reply.number() == 1);
    }

    /** All users on the list, sorted. */
    CompletableFuture<List<String>> all() {
        return redis.commandOnKey(USERS, "SMEMBERS", USERS).thenApply(reply -> {
            List<String> users = new ArrayList<>(reply.texts());
            users.sort(null);
            return users;
        });
    }

    private CompletableFuture<Void> changed() {
        return redis.commandOnKey(VERSION, "INCR", VERSION)
                .thenCompose(version -> load(version.text()));
    }

    private CompletableFuture<Void> load(String version) {
        return redis.commandOnKey(USERS, "SMEMBERS", USERS).thenAccept(reply -> {
            copy = Set.copyOf(reply.texts());
            copyVersion = version;
        });
    }

    private void refresh() {
        CompletableFuture<Void> look = !startup.isReached()
                ? CompletableFuture.completedFuture(null)
                : redis.commandOnKey(VERSION, "GET", VERSION).thenCompose(version -> {
                    String now = String.valueOf(version.text());
                    return now.equals(copyVersion)
                            ? CompletableFuture.completedFuture(null) : load(now);
                });
        look.whenComplete((done, failure) -> {
            if (failure != null) {
                LOG.debugf("The blocklist could not be read: %s", failure.getMessage());
            }
            vertx.setTimer(refreshMs, ignored -> refresh());
        });
    }
}
