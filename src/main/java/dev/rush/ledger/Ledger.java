package dev.rush.ledger;

import dev.rush.RushConfig;
import dev.rush.http.ProblemException;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.TransactionLimits;
import dev.rush.redis.Change;
import dev.rush.redis.OutcomeClass;
import io.quarkus.runtime.StartupEvent;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Access to PostgreSQL. Work runs in one transaction on a thread of a dedicated pool, never on an
 * event loop. Until the schema is up to date all work fails as an outage.
 */
@Singleton
public class Ledger {

    private static final Logger LOG = Logger.getLogger(Ledger.class);
    /** Maximum number of transactions for work that conflicts with others. */
    private static final int TRIES_MAX = 3;
    /**
     * A PostgreSQL process that is not checked yet already writes to the next epoch: it may reuse
     * the ids of lost transactions, and a reader may already be past those in this epoch.
     */
    private static final Sql BEGIN = Sql.named("begin", """
            SELECT CASE WHEN server = began THEN epoch ELSE epoch + 1 END, server = began, began
            FROM ledger, LATERAL (SELECT (extract(epoch FROM pg_postmaster_start_time())
                * 1000000)::bigint AS began) AS process""");
    private static final Sql IS_BEHIND = Sql.named("is-behind", """
            SELECT 1 FROM partitions WHERE partition = ? AND behind_since IS NOT NULL""");

    private final LedgerStart start;
    private final Vertx vertx;
    private final boolean configured;
    private final long deadlineMs;
    private final TransactionLimits limits;
    private final LedgerThreads threads;

    /** Work in one transaction. */
    @FunctionalInterface
    public interface Work<T> {

        /**
         * Does the work. The transaction is committed if this returns and rolled back if it throws.
         * It is called again, in a new transaction, after a conflict with another one.
         */
        T on(Connection connection, LedgerState ledgerState) throws SQLException;
    }

    /** How a transaction begins. */
    @FunctionalInterface
    private interface Begin {

        LedgerState with(TransactionLimits limits, Connection connection, Sql first,
                Sql.RowMapper<LedgerState> mapper) throws SQLException;
    }

    @Inject
    Ledger(LedgerStart start, Vertx vertx, RushConfig config) {
        this.start = start;
        this.vertx = vertx;
        this.configured = config.orders().sink().stores();
        this.deadlineMs = Math.max(1, config.ledger().deadline().toMillis());
        this.limits = new TransactionLimits(config.ledger());
        this.threads = new LedgerThreads(config.ledger().threads(), config.ledger().queue());
    }

    void start(@Observes StartupEvent event) {
        if (configured) {
            start.start();
        }
    }

    @PreDestroy
    void stop() {
        threads.shutdown();
    }

    /** Whether this service has a ledger at all. */
    public boolean isConfigured() {
        return configured;
    }

    /** A change that a script decides; it is passed to the ledger if this service has one. */
    public Change change(String kind, String subject, Actor actor) {
        return configured ? Change.of(kind, subject, actor.text(), actor.cause())
                : Change.NONE;
    }

    /** Whether the ledger was reached and its schema is up to date. It may be down again by now. */
    public boolean isReady() {
        return start.isReady();
    }

    /**
     * Does work in one transaction on the calling thread, which must not be an event loop.
     *
     * @throws LedgerFailure if it was certainly not committed, or the outcome is unknown
     */
    public <T> T transact(Work<T> work) {
        return transact(work, new Attempt(), TransactionLimits::begin);
    }

    /** As {@link #transact}, for work that may have no result; then it is null. */
    public <T> @Nullable T transactOrNull(WorkOrNull<T> work) {
        return this.<Optional<T>>transact(work::orEmpty).orElse(null);
    }

    /**
     * Runs statements that PostgreSQL does not allow in a transaction, one by one, on the calling
     * thread.
     *
     * @throws LedgerFailure if it did not complete
     */
    public void outsideTransaction(Sql.Series work) {
        try (Connection connection = start.opened().getConnection()) {
            work.on(connection);
        } catch (SQLException e) {
            throw new LedgerFailure(e, true);
        }
    }

    /** As {@link #transact}, for work that only reads and sees one snapshot. */
    public <T> T readSnapshot(Work<T> work) {
        return transact(work, new Attempt(), TransactionLimits::beginSnapshot);
    }

    /**
     * As {@link #transact}, for work that a lost commit could make wrong: expiring, crediting,
     * refusing, repairing. It fails as an outage while this PostgreSQL process is not checked, or
     * the partition is behind Redis.
     */
    public <T> T transactIfSound(int partition, Work<T> work) {
        return transact((connection, ledgerState) -> {
            if (!isSound(connection, ledgerState, partition)) {
                throw new LedgerFailure("the ledger may be behind Redis");
            }
            return work.on(connection, ledgerState);
        });
    }

    /** Whether no commit of a partition's orders that was reported to a client may be missing. */
    public static boolean isSound(Connection connection, LedgerState ledgerState, int partition)
            throws SQLException {
        return ledgerState.checked() && !IS_BEHIND.exists(connection, partition);
    }

    private <T> T transact(Work<T> work, Attempt attempt, Begin begin) {
        for (int tries = 1; ; tries++) {
            try {
                return once(work, attempt, begin, tries);
            } catch (LedgerFailure e) {
                if (!e.isSerializationFailure() || tries == TRIES_MAX) {
                    throw e;
                }
            }
        }
    }

    private <T> T once(Work<T> work, Attempt attempt, Begin begin, int tries) {
        boolean committing = false;
        try (Connection connection = start.opened().getConnection()) {
            if (tries == 1 && !attempt.begin()) {
                throw new LedgerFailure("the caller gave up before it began");
            }
            connection.setAutoCommit(false);
            boolean done = false;
            try {
                LedgerState ledgerState = begin.with(limits, connection, BEGIN, row ->
                        new LedgerState(row.getInt(1), row.getBoolean(2), row.getLong(3)));
                T result = work.on(connection, ledgerState);
                committing = true;
                connection.commit();
                done = true;
                start.outage().succeeded();
                return result;
            } finally {
                if (!done) {
                    rollback(connection);
                }
            }
        } catch (SQLException e) {
            LedgerFailure failure = new LedgerFailure(e, committing);
            if (failure.isOutage() && !failure.isSerializationFailure()) {
                start.outage().failed(failure);
            }
            throw failure;
        }
    }

    private static void rollback(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            LOG.debug("A broken transaction could not be rolled back", e);
        }
    }

    /**
     * Does work in one transaction for a waiting client.
     *
     * @return completes on the caller's event loop, if it has one; fails with the problem {@code
     *         unavailable} if the work was not and will not be done, because the ledger is down or
     *         busy; with {@code outcome-unknown} if it began and was not answered in time
     */
    public <T> CompletableFuture<T> call(WorkOrNull<T> work) {
        return call(work, threads.changes(), LedgerProblems::ofChange);
    }

    /** As {@link #call}, for work that changes nothing: it can only be {@code unavailable}. */
    public <T> CompletableFuture<T> read(WorkOrNull<T> work) {
        return call(work, threads.reads(), LedgerProblems::ofRead);
    }

    /**
     * As {@link #read}, on one thread: requests that need no identity may come in a flood, which
     * then delays no other call.
     */
    public <T> CompletableFuture<T> lookUp(WorkOrNull<T> work) {
        return call(work, threads.lookups(), LedgerProblems::ofRead);
    }

    private <T> CompletableFuture<T> call(WorkOrNull<T> work, Executor executor,
            Function<OutcomeClass, ProblemException> problems) {
        Attempt attempt = new Attempt();
        CompletableFuture<T> answer = run(
                () -> this.<Optional<T>>transact(work::orEmpty, attempt, TransactionLimits::begin)
                        .orElse(null), executor, problems);
        long timer = vertx.setTimer(deadlineMs, late -> answer.completeExceptionally(
                problems.apply(attempt.giveUp()
                        ? OutcomeClass.NOTHING_HAPPENED : OutcomeClass.UNKNOWN)));
        return answer.whenComplete((result, failure) -> vertx.cancelTimer(timer));
    }

    /**
     * Runs a task that may use {@link #transact} on a thread of the pool. An outage of the ledger
     * becomes {@code unavailable}; a task that changes things must report unknown outcomes itself.
     */
    public <T> CompletableFuture<T> run(Supplier<T> task) {
        return run(task, threads.changes());
    }

    /** As {@link #run(Supplier)}, on another pool. */
    public <T> CompletableFuture<T> run(Supplier<T> task, Executor executor) {
        return run(task, executor, LedgerProblems::ofRead);
    }

    private <T> CompletableFuture<T> run(Supplier<T> task, Executor executor,
            Function<OutcomeClass, ProblemException> problems) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Context caller = Context.isOnEventLoopThread() ? vertx.getOrCreateContext() : null;
        try {
            executor.execute(() -> {
                try {
                    T result = task.get();
                    on(caller, () -> answer.complete(result));
                } catch (Throwable e) {
                    Throwable failure = LedgerProblems.mapOutage(e, problems);
                    on(caller, () -> answer.completeExceptionally(failure));
                }
            });
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(LedgerProblems.busy());
        } catch (OutOfMemoryError e) { // For a thread; the task may be in the queue.
            answer.completeExceptionally(problems.apply(OutcomeClass.UNKNOWN));
        }
        return answer;
    }

    private static void on(@Nullable Context caller, Runnable completion) {
        if (caller == null) {
            completion.run();
        } else {
            caller.runOnContext(ignored -> completion.run());
        }
    }
}
