package dev.rush.order;

import dev.rush.RushConfig;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.http.Word;
import dev.rush.order.sql.TransactionLimits;
import dev.rush.redis.OutcomeClass;
import io.agroal.api.AgroalDataSource;
import io.quarkus.arc.InjectableInstance;
import io.quarkus.datasource.common.runtime.DataSourceUtil;
import io.quarkus.flyway.runtime.FlywayContainerProducer;
import io.quarkus.runtime.StartupEvent;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Any;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * Access to PostgreSQL. Work runs in one transaction on a thread of a pool of its own, never on an
 * event loop. The schema is brought up to date in the background, so that a pod starts and sells
 * while PostgreSQL is away; until that is done all work fails as an outage.
 */
@Singleton
public class Ledger {

    private static final Logger LOG = Logger.getLogger(Ledger.class);
    private static final long RETRY_MS = 500;
    private static final long RETRY_MAX_MS = 5_000;
    private static final long FIRST_TRY_MS = 5_000;

    private final InjectableInstance<AgroalDataSource> sources;
    private final FlywayContainerProducer flyways;
    private final Vertx vertx;
    private final boolean wanted;
    private final long deadlineMs;
    private final TransactionLimits limits;
    private final ThreadPoolExecutor workers;
    private volatile AgroalDataSource source;
    private volatile boolean stopping;
    private final LedgerOutage outage = new LedgerOutage();
    /** Open until the ledger was reached or missed once, so that first calls wait for that. */
    private final CountDownLatch firstTry = new CountDownLatch(1);

    /** What is done in one transaction. */
    @FunctionalInterface
    public interface Work<T> {

        /** Does it; the transaction is committed when this returns, rolled back when it throws. */
        T on(Connection connection) throws SQLException;
    }

    @Inject
    Ledger(@Any InjectableInstance<AgroalDataSource> sources,
            FlywayContainerProducer flyways, Vertx vertx, RushConfig config) {
        this.sources = sources;
        this.flyways = flyways;
        this.vertx = vertx;
        this.wanted = config.orders().sink().stores();
        this.deadlineMs = Math.max(1, config.ledger().deadline().toMillis());
        this.limits = new TransactionLimits(config.ledger());
        int threads = config.ledger().threads();
        this.workers = new ThreadPoolExecutor(threads, threads, 30, TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(config.ledger().queue()), task -> {
                    Thread thread = new Thread(task, "ledger");
                    thread.setDaemon(true);
                    return thread;
                });
        workers.allowCoreThreadTimeOut(true);
    }

    void start(@Observes StartupEvent event) {
        if (!wanted) {
            return;
        }
        Thread migration = new Thread(this::migrate, "ledger-migration");
        migration.setDaemon(true);
        migration.start();
    }

    @PreDestroy
    void stop() {
        stopping = true;
        workers.shutdown();
    }

    private void migrate() {
        long pauseMs = RETRY_MS;
        while (!stopping) {
            try {
                AgroalDataSource found = sources.get();
                // Made here and not by Quarkus at its start, which it would hold up by a tenth.
                flyways.createFlyway(found, DataSourceUtil.DEFAULT_DATASOURCE_NAME, true, true)
                        .getFlyway().migrate();
                source = found;
                firstTry.countDown();
                outage.reached();
                return;
            } catch (RuntimeException | LinkageError e) {
                if (stopping) {
                    return;
                }
                firstTry.countDown();
                outage.missed(e);
            }
            try {
                Thread.sleep(pauseMs);
            } catch (InterruptedException e) {
                return;
            }
            pauseMs = Math.min(RETRY_MAX_MS, 2 * pauseMs);
        }
    }

    /** Whether this service keeps a ledger at all. */
    public boolean isWanted() {
        return wanted;
    }

    /** Whether the ledger was reached and its schema is up to date. It may be away again by now. */
    public boolean isReady() {
        return source != null;
    }

    /**
     * Does work in one transaction on the calling thread, which must not be an event loop.
     *
     * @throws LedgerFailure if it was not committed for certain, or that is not known
     */
    public <T> T transact(Work<T> work) {
        return transact(work, new Attempt());
    }

    private <T> T transact(Work<T> work, Attempt attempt) {
        AgroalDataSource open = opened();
        boolean committing = false;
        try (Connection connection = open.getConnection()) {
            if (!attempt.begin()) {
                throw new LedgerFailure("the caller gave up before it began");
            }
            connection.setAutoCommit(false);
            boolean done = false;
            try {
                limits.set(connection);
                T result = work.on(connection);
                committing = true;
                connection.commit();
                done = true;
                outage.reached();
                return result;
            } finally {
                if (!done) {
                    rollback(connection);
                }
            }
        } catch (SQLException e) {
            LedgerFailure failure = new LedgerFailure(e, committing);
            if (failure.isOutage()) {
                outage.missed(failure);
            }
            throw failure;
        }
    }

    private AgroalDataSource opened() {
        if (source == null) {
            try {
                firstTry.await(FIRST_TRY_MS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        AgroalDataSource open = source;
        if (open == null) {
            throw new LedgerFailure("the ledger is not there yet");
        }
        return open;
    }

    private static void rollback(Connection connection) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            LOG.debug("A broken transaction could not be rolled back", e);
        }
    }

    /**
     * Does work in one transaction for a client who waits.
     *
     * @return completes on the caller's event loop, if it has one; fails with the problem
     *         {@code unavailable} if the work did not happen and never will, because the ledger is
     *         away or busy; with {@code outcome-unknown} if it began and was not answered in time
     */
    public <T> CompletableFuture<T> call(Work<T> work) {
        return call(work, LedgerProblems::ofChange);
    }

    /** As {@link #call}, for work that changes nothing: it can only be {@code unavailable}. */
    public <T> CompletableFuture<T> read(Work<T> work) {
        return call(work, LedgerProblems::ofRead);
    }

    private <T> CompletableFuture<T> call(
            Work<T> work, Function<OutcomeClass, ProblemException> problems) {
        Attempt attempt = new Attempt();
        CompletableFuture<T> answer = run(() -> transact(work, attempt), problems);
        long timer = vertx.setTimer(deadlineMs, late -> answer.completeExceptionally(
                problems.apply(attempt.giveUp()
                        ? OutcomeClass.NOTHING_HAPPENED : OutcomeClass.UNKNOWN)));
        return answer.whenComplete((result, failure) -> vertx.cancelTimer(timer));
    }

    /**
     * Runs a task that may use {@link #transact} on a thread of the pool. An outage of the ledger
     * is told as {@code unavailable}; a task that changes things says itself what is unknown.
     */
    public <T> CompletableFuture<T> run(Supplier<T> task) {
        return run(task, LedgerProblems::ofRead);
    }

    private <T> CompletableFuture<T> run(
            Supplier<T> task, Function<OutcomeClass, ProblemException> problems) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Context caller = Context.isOnEventLoopThread() ? vertx.getOrCreateContext() : null;
        try {
            workers.execute(() -> {
                try {
                    T result = task.get();
                    on(caller, () -> answer.complete(result));
                } catch (Throwable e) {
                    Throwable failure = toProblem(e, problems);
                    on(caller, () -> answer.completeExceptionally(failure));
                }
            });
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(new ProblemException(Problem.of(Word.UNAVAILABLE)));
        }
        return answer;
    }

    private static void on(Context caller, Runnable completion) {
        if (caller == null) {
            completion.run();
        } else {
            caller.runOnContext(ignored -> completion.run());
        }
    }

    private static Throwable toProblem(
            Throwable failure, Function<OutcomeClass, ProblemException> problems) {
        if (failure instanceof LedgerFailure ledger && ledger.isOutage()) {
            LOG.debugf("The ledger is away: %s", ledger.getMessage());
            return problems.apply(ledger.outcomeClass());
        }
        return failure;
    }
}
