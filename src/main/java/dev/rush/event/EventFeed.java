package dev.rush.event;

import dev.rush.RushConfig;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.Position;
import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.vertx.core.Vertx;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The feed of events. A waiting call holds no thread: while calls wait, one task polls the ledger
 * for all of them, and calls with the same cursor and limit share a query.
 */
@Singleton
class EventFeed {

    private static final Logger LOG = Logger.getLogger(EventFeed.class);
    private static final long POLL_MS = 250;

    private final Ledger ledger;
    private final Vertx vertx;
    private final int waitingMax;
    private final Set<Waiter> waiting = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean polling = new AtomicBoolean();
    private volatile boolean draining;

    /**
     * The answer to a call.
     *
     * @param next the cursor after the events; if the call's cursor has expired, the start of what
     *             is kept
     */
    record Answer(List<CloudEvent> events, Cursor next, boolean isExpired) {
    }

    /** A way to read a page after a position; null if the position is not known. */
    private interface PageReader {

        EventReader.@Nullable Page read(Connection connection, Position after, int limit)
                throws SQLException;
    }

    /** What a waiting call asks for; calls with equal queries share one. */
    private record Query(Cursor after, int limit) {
    }

    private static final class Waiter {

        private final CompletableFuture<Answer> answer = new CompletableFuture<>();
        private volatile Query query;

        private Waiter(Query query) {
            this.query = query;
        }

        /** Answers if there are events, or the cursor has expired; otherwise waits on. */
        private void take(Answer read) {
            if (read.isExpired || !read.events.isEmpty()) {
                answer.complete(read);
            } else {
                query = new Query(read.next, query.limit);
            }
        }

        /** Answers without events. */
        private void end() {
            answer.complete(new Answer(List.of(), query.after, false));
        }
    }

    @Inject
    EventFeed(Ledger ledger, Vertx vertx, RushConfig config) {
        this.ledger = ledger;
        this.vertx = vertx;
        this.waitingMax = config.events().waiting();
    }

    /** Answers all waiting calls before this pod stops. */
    void drain(@Observes ShutdownDelayInitiatedEvent event) {
        draining = true;
        waiting.forEach(Waiter::end);
    }

    /**
     * At most {@code limit} events after a cursor. If there are none, waits up to {@code
     * waitSeconds} for the next ones. Fails with {@code unavailable} if {@code rush.events.waiting}
     * calls wait already.
     *
     * @param ended completes when the call ends, in particular when its client has disconnected
     */
    CompletableFuture<Answer> after(
            Cursor after, int limit, int waitSeconds, CompletableFuture<?> ended) {
        return ledger.read((connection, ledgerState) ->
                answer(connection, new Query(after, limit), EventReader::readIfKnown))
                .thenCompose(answer ->
                answer.isExpired || !answer.events.isEmpty() || waitSeconds == 0 || draining
                        ? CompletableFuture.completedFuture(answer)
                        : await(new Query(answer.next, limit), waitSeconds, ended));
    }

    /** Answers a query. Its cursor has expired if events after it were archived. */
    private static Answer answer(Connection connection, Query query, PageReader reader)
            throws SQLException {
        // Before the page, because a run that is recorded later may hide events from it.
        int lastRun = ArchivedEvents.lastRun(connection);
        Position after = query.after.position();
        EventReader.Page page = reader.read(connection, after, query.limit);
        return page == null || ArchivedEvents.areMissed(connection, after,
                Math.min(query.after.archiveRun(), lastRun))
                ? new Answer(List.of(), new Cursor(Position.START,
                        ArchivedEvents.lastRun(connection)), true)
                : new Answer(page.events(), new Cursor(page.next(), lastRun), false);
    }

    /** Answers no events, and the position after everything that is committed now. */
    CompletableFuture<Answer> now() {
        return ledger.read((connection, ledgerState) -> new Answer(List.of(),
                new Cursor(EventReader.end(connection, ledgerState.epoch()),
                        ArchivedEvents.lastRun(connection)), false));
    }

    private CompletableFuture<Answer> await(
            Query query, int waitSeconds, CompletableFuture<?> ended) {
        Waiter waiter = new Waiter(query);
        waiting.add(waiter);
        if (waiting.size() > waitingMax) {
            waiting.remove(waiter);
            return CompletableFuture.failedFuture(new ProblemException(Problem.retryable(
                    OutcomeCode.UNAVAILABLE, "Too many calls wait for events.", Map.of(),
                    waitSeconds)));
        }
        long timer = vertx.setTimer(waitSeconds * 1_000L, late -> waiter.end());
        waiter.answer.whenComplete((answer, failure) -> {
            waiting.remove(waiter);
            vertx.cancelTimer(timer);
        });
        ended.thenRun(waiter::end);
        if (draining) {
            waiter.end();
        }
        poll();
        return waiter.answer;
    }

    /** Schedules the next poll if calls wait and none is scheduled. */
    private void poll() {
        if (!waiting.isEmpty() && polling.compareAndSet(false, true)) {
            vertx.setTimer(POLL_MS, due -> ledger.run(() -> {
                answerWaiting();
                return null;
            }).whenComplete((done, failure) -> {
                if (failure != null) {
                    LOG.debugf("Events cannot be read now: %s", failure.getMessage());
                }
                polling.set(false);
                poll();
            }));
        }
    }

    private void answerWaiting() {
        Map<Query, List<Waiter>> byQuery = new LinkedHashMap<>();
        waiting.forEach(waiter ->
                byQuery.computeIfAbsent(waiter.query, query -> new ArrayList<>()).add(waiter));
        byQuery.forEach((query, waiters) -> {
            Answer answer = ledger.transact((connection, ledgerState) ->
                    answer(connection, query, EventReader::read));
            waiters.forEach(waiter -> waiter.take(answer));
        });
    }

    /** The number of waiting calls. */
    int waiting() {
        return waiting.size();
    }
}
