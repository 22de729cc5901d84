package dev.rush.http.limit;

import dev.rush.RushConfig;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.redis.Change;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Partitions;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;
import dev.rush.task.LoggedTask;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Users who may neither buy nor grab. The list is in Redis; each pod checks against a copy. The
 * script that changes the list records the change, and pods apply new changes every {@code
 * rush.blocklist.refresh}, so a change costs a pod its own size, not that of the list. A pod that
 * is new, or too far behind, loads the list in pages, on a dedicated thread. While Redis is down
 * the last copy stays in use.
 */
@Singleton
public class Blocklist {

    private static final Logger LOG = Logger.getLogger(Blocklist.class);
    private static final Keys USERS = Partitions.BLOCKLIST.keys().named("users");
    private static final Keys CHANGES = Partitions.BLOCKLIST.keys().named("changes");
    /** Number of changes that Redis keeps; a pod that misses more of them loads the list. */
    private static final int CHANGES_MAX = 10_000;
    /** Maximum users per reply, so that neither Redis nor an event loop is blocked. */
    private static final int PAGE = 1_000;
    /** Maximum number of loads that are overtaken by more changes than Redis keeps. */
    private static final int LOADS_MAX = 3;
    private static final long LOG_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final RedisCommands redis;
    private final long refreshMs;
    private final String usersMax;
    /** Whether a ledger records who changed the list. */
    private final boolean isRecorded;
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("blocklist", true));
    /** Null until the list has been loaded once. */
    private volatile @Nullable BlocklistCopy copy;
    private volatile String cause = "";
    /** Used only by its thread. */
    private long loggedNanos;
    /** Callers that wait for the next refresh, which has not begun; null if there are none. */
    private @Nullable CompletableFuture<Void> waiting;

    @Inject
    Blocklist(RedisCommands redis, RushConfig config) {
        this.redis = redis;
        this.refreshMs = config.blocklist().refresh().toMillis();
        this.isRecorded = config.orders().sink().stores();
        this.usersMax = Integer.toString(config.blocklist().users());
    }

    void start(@Observes StartupEvent event) {
        thread.scheduleWithFixedDelay(new LoggedTask("blocklist refresh", this::refresh),
                0, refreshMs, TimeUnit.MILLISECONDS);
    }

    void stop(@Observes ShutdownEvent event) {
        thread.shutdownNow();
    }

    /** Whether this pod has a copy; until then it does not know who is blocked. */
    public boolean isLoaded() {
        return copy != null;
    }

    /** Why the last read of the list failed; empty if it succeeded. */
    String cause() {
        return cause;
    }

    /** Whether this pod's copy contains the user. */
    public boolean contains(String user) {
        BlocklistCopy known = copy;
        return known != null && known.contains(user);
    }

    /** Blocks a user, idempotently. Completes with null on success, else with the refusal. */
    CompletableFuture<Problem> add(String user, String actor, @Nullable String cause) {
        return change("add", user, actor, cause);
    }

    /** Unblocks a user, idempotently. Completes with null on success. */
    CompletableFuture<Problem> remove(String user, String actor, @Nullable String cause) {
        return change("remove", user, actor, cause);
    }

    /** Whether Redis has the user on the list. */
    CompletableFuture<Boolean> find(String user) {
        return redis.command("ZSCORE", USERS, user).thenApply(score -> !score.isNull());
    }

    /** Users after a name, ordered by name; null: from the first on. */
    CompletableFuture<List<String>> page(@Nullable String after, int max) {
        return redis.command("ZRANGE", USERS, after == null ? "-" : "(" + after, "+",
                "BYLEX", "LIMIT", "0", Integer.toString(max)).thenApply(Reply::texts);
    }

    private CompletableFuture<Problem> change(
            String action, String user, String actor, @Nullable String cause) {
        Change change = isRecorded ? Change.of("blocklist", user, actor, cause) : Change.NONE;
        Keys keys = change.keys(USERS.named("changes"));
        return redis.change(BlocklistScripts.BLOCK, keys, change.args(
                action, user, UUID.randomUUID().toString(), usersMax,
                Integer.toString(CHANGES_MAX)))
                .thenCompose(reply -> reply.word().equals("too-large")
                        ? CompletableFuture.completedFuture(Problem.of(OutcomeCode.TOO_LARGE,
                                "The blocklist is full, with " + usersMax + " users."))
                        // The change is made; refreshing this pod's copy now is optional.
                        : refreshed().thenApply(done -> null));
    }

    /** Completes after a refresh that begins from now on, whether or not it succeeds. */
    private synchronized CompletableFuture<Void> refreshed() {
        if (waiting == null) {
            CompletableFuture<Void> next = new CompletableFuture<>();
            try {
                thread.execute(() -> {
                    begin();
                    try {
                        refresh();
                    } finally {
                        next.complete(null);
                    }
                });
                waiting = next;
            } catch (RejectedExecutionException e) {
                return CompletableFuture.completedFuture(null); // This pod is stopping.
            }
        }
        return waiting;
    }

    private synchronized void begin() {
        waiting = null;
    }

    private void refresh() {
        try {
            BlocklistCopy known = copy;
            if (known != null && catchUp(known)) {
                cause = "";
                return;
            }
            for (int i = 0; i < LOADS_MAX; i++) {
                BlocklistCopy loaded = load();
                if (catchUp(loaded)) {
                    copy = loaded;
                    cause = "";
                    LOG.debugf("The blocklist was loaded: %d users", loaded.size());
                    return;
                }
            }
            failed("it changes faster than it can be read");
        } catch (RuntimeException e) {
            Throwable cause = e.getCause();
            Throwable reason = e instanceof CompletionException && cause != null ? cause : e;
            failed(String.valueOf(reason.getMessage()));
        }
    }

    /** Logs a new reason at once, and the same one again only from time to time. */
    private void failed(String reason) {
        long now = System.nanoTime();
        boolean isLogged = reason.equals(cause) && now - loggedNanos < LOG_INTERVAL_NANOS;
        cause = reason;
        if (!isLogged) {
            loggedNanos = now;
            LOG.warnf("The blocklist cannot be read%s: %s", copy == null
                    ? ", and this pod sells nothing without it" : "", reason);
        }
    }

    /**
     * Applies new changes. False if the copy is too far behind, or contains changes that Redis has
     * lost.
     */
    private boolean catchUp(BlocklistCopy known) {
        List<String> changes;
        do {
            changes = redis.command("ZRANGE", CHANGES, known.version(), "+inf",
                    "BYSCORE", "LIMIT", "0", Integer.toString(PAGE)).join().texts();
            if (!known.isContinuedBy(changes.isEmpty() ? null : changes.get(0))) {
                return false;
            }
            changes.forEach(known::apply);
        } while (changes.size() == PAGE);
        return true;
    }

    /**
     * Loads the list page by page. Concurrent changes may be included or not; applying all changes
     * after the latest one from before the load corrects that.
     */
    private BlocklistCopy load() {
        List<String> latest = redis.command("ZRANGE", CHANGES, "-1", "-1").join().texts();
        BlocklistCopy loading = new BlocklistCopy(latest.isEmpty() ? null : latest.get(0));
        String after = null;
        List<String> users;
        do {
            users = page(after, PAGE).join();
            loading.load(users);
            after = users.isEmpty() ? null : users.get(users.size() - 1);
        } while (users.size() == PAGE);
        return loading;
    }
}
