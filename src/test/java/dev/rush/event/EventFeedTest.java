package dev.rush.event;

import static dev.rush.event.WebhookScene.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.http.OutcomeCode;
import dev.rush.http.ProblemException;
import dev.rush.ledger.AuditRows;
import dev.rush.ledger.Position;
import dev.rush.ledger.TestJournal;
import dev.rush.testing.Environments;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The feed on a real PostgreSQL: waiting calls, their limits, and cursors. */
class EventFeedTest {
    private static final Vertx VERTX = Vertx.vertx();
    private static final int WAITING_MAX = 20;
    private static TestJournal journal;

    private EventFeed feed;
    private Cursor now;

    @BeforeAll
    static void start() {
        journal = new TestJournal(Environments.ledger().freshDatabase());
    }

    @AfterAll
    static void stop() throws Exception {
        journal.close();
    }

    @BeforeEach
    void begin() {
        feed = new EventFeed(journal.ledger, VERTX,
                TestJournal.config(Map.of("rush.events.waiting", Integer.toString(WAITING_MAX))));
        journal.sql("DELETE FROM archive.last_events");
        journal.check();
        now = new Cursor(new Position(
                Integer.parseInt(journal.sql("SELECT epoch FROM ledger")), 0, 0), 0);
    }

    private static String order() {
        return journal.order(journal.sale("a:9:0"), "u", null, "a:1", 0) + ".confirmed";
    }

    private CompletableFuture<EventFeed.Answer> after(Cursor after, int limit, int seconds) {
        return feed.after(after, limit, seconds, new CompletableFuture<>());
    }

    private static List<String> ids(EventFeed.Answer answer) {
        return answer.events().stream().map(CloudEvent::id).toList();
    }

    @Test
    @DisplayName("E1: a waiting call returns the next event and a cursor behind it")
    void waitsForEvents() {
        CompletableFuture<EventFeed.Answer> waiting = after(now, 10, 30);
        await("the call waits", () -> feed.waiting() == 1);
        String first = order();
        EventFeed.Answer answer = waiting.join();
        assertThat(ids(answer)).containsExactly(first);
        await("no call waits", () -> feed.waiting() == 0);
        String second = order();
        assertThat(ids(after(answer.next(), 10, 30).join())).containsExactly(second);
        assertThat(ids(after(now, 10, 0).join())).containsExactly(first, second);
    }

    @Test
    @DisplayName("E1: if no event comes in time, the answer has no events and the same cursor")
    void endsInTime() {
        EventFeed.Answer answer = after(now, 10, 1).join();
        assertThat(answer).isEqualTo(new EventFeed.Answer(List.of(), now, false));
        await("no call waits", () -> feed.waiting() == 0);
        assertThat(after(now, 10, 0).join()).isEqualTo(answer);
    }

    @Test
    @DisplayName("E1: a call whose client has disconnected keeps no place")
    void endsWithItsClient() {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        feed.after(now, 10, 30, ended);
        await("the call waits", () -> feed.waiting() == 1);
        ended.complete(null);
        await("no call waits", () -> feed.waiting() == 0);
    }

    @Test
    @DisplayName("E1: the number of waiting calls is limited; one more is unavailable")
    void waitingCallsAreLimited() {
        List<CompletableFuture<EventFeed.Answer>> waiting = new ArrayList<>();
        for (int i = 0; i < WAITING_MAX; i++) {
            waiting.add(after(now, 10 + i % 2, 30));
        }
        await("all calls wait", () -> feed.waiting() == WAITING_MAX);
        assertThatThrownBy(() -> after(now, 10, 30).join())
                .isInstanceOf(CompletionException.class).cause()
                .isInstanceOfSatisfying(ProblemException.class, e ->
                        assertThat(e.problem().code()).isEqualTo(OutcomeCode.UNAVAILABLE));
        assertThat(after(now, 10, 0).join().events()).isEmpty();
        String order = order();
        waiting.forEach(call -> assertThat(ids(call.join())).containsExactly(order));
        await("no call waits", () -> feed.waiting() == 0);
    }

    @Test
    @DisplayName("E1: a pod that is stopping answers waiting calls at once")
    void stops() {
        CompletableFuture<EventFeed.Answer> waiting = after(now, 10, 30);
        await("the call waits", () -> feed.waiting() == 1);
        feed.drain(null);
        assertThat(waiting.join().events()).isEmpty();
        assertThat(after(now, 10, 30).join().events()).isEmpty();
    }

    @Test
    @DisplayName("E1: a cursor of now skips every earlier event and no later one")
    void beginsNow() {
        order();
        EventFeed.Answer begin = feed.now().join();
        assertThat(begin.events()).isEmpty();
        assertThat(after(begin.next(), 10, 0).join()).isEqualTo(begin);
        String later = order();
        assertThat(ids(after(begin.next(), 10, 0).join())).containsExactly(later);
        journal.check();
        assertThat(after(begin.next(), 10, 0).join().isExpired()).isTrue();
    }

    @Test
    @DisplayName("E1: a cursor whose row is gone is expired; the answer has the start of the feed")
    void expires() {
        order();
        Cursor after = after(now, 1, 0).join().next();
        journal.sql("DELETE FROM blocks WHERE epoch = " + now.position().epoch());
        assertThat(after(after, 1, 30).join()).isEqualTo(expired(0));
    }

    private static EventFeed.Answer expired(int archiveRun) {
        return new EventFeed.Answer(List.of(), new Cursor(Position.START, archiveRun), true);
    }

    @Test
    @DisplayName("E1: cursors from before an archive run are expired; oldest reads on to the end")
    void expiresByArchiving() {
        String kept = pause("first");
        order();
        Cursor unread = after(now, 1, 0).join().next();
        Cursor read = after(unread, 1, 0).join().next();
        List<String> later = List.of(pause("second"), pause("third"));

        EventFeed.Answer expired = expired(archive());
        assertThat(after(unread, 1, 30).join()).isEqualTo(expired);
        assertThat(ids(after(read, 1, 0).join())).isEqualTo(later.subList(0, 1));
        for (Cursor begun : List.of(expired.next(), Cursor.BEGINNING)) {
            // The feed leaves an earlier epoch only after a minute.
            assertThat(walk(new Cursor(now.position(), begun.archiveRun()))).containsExactly(
                    kept, later.get(0), later.get(1));
        }
    }

    @Test
    @DisplayName("E1: a call that waits while its next event is archived learns of it")
    void expiresWhileItWaits() throws SQLException {
        try (Connection open = journal.connect()) {
            EventWalk.run(open, "SELECT pg_current_xact_id()");
            order();
            CompletableFuture<EventFeed.Answer> waiting = after(now, 1, 30);
            await("the call waits", () -> feed.waiting() == 1);
            archive();
            assertThat(waiting.join().isExpired()).isTrue();
        }
    }

    /** Returns the id of the event. */
    private static String pause(String sale) {
        UUID id = UUID.randomUUID();
        journal.transact((connection, ledgerState) -> {
            AuditRows.insert(connection, ledgerState, id, OrderLives.OPERATOR, "sale.paused",
                    sale, null, null, null);
            return null;
        });
        return id + ".paused";
    }

    @Test
    @DisplayName("E1: from its start on, no event of an archive run is read, before it is detached")
    void isArchivedAtOnce() {
        order();
        order();
        Cursor begun = new Cursor(now.position(), Integer.MAX_VALUE);
        Cursor first = after(begun, 1, 0).join().next();
        String kept = pause("sale");
        int run = beginArchive();
        assertThat(after(first, 1, 0).join()).isEqualTo(expired(run));
        assertThat(walk(new Cursor(now.position(), run))).containsExactly(kept);
        order();
        endArchive();
        assertThat(walk(new Cursor(now.position(), run))).containsExactly(kept);
    }

    @Test
    @DisplayName("E1: a page that is read while an archive run begins is expired")
    void expiresWhileItIsRead() throws SQLException {
        Cursor oldest = new Cursor(now.position(), Integer.MAX_VALUE);
        order();
        try (Connection locked = journal.connect()) {
            locked.setAutoCommit(false);
            EventWalk.run(locked, "LOCK TABLE orders");
            CompletableFuture<EventFeed.Answer> page = after(oldest, 1, 0);
            await("the page waits", () -> journal.sql("SELECT count(*) FROM pg_stat_activity"
                    + " WHERE wait_event_type = 'Lock'").equals("1"));
            int run = beginArchive();
            locked.commit();
            assertThat(page.join()).isEqualTo(expired(run));
        }
    }

    /** Returns the number of the archive run. */
    private static int archive() {
        int run = beginArchive();
        endArchive();
        return run;
    }

    private static int beginArchive() {
        journal.sql("INSERT INTO archive.last_events (month, epoch, xact, place) SELECT "
                + EventWalk.MONTH + ", epoch, xact::text::bigint, places_before + orders"
                + " FROM blocks ORDER BY epoch DESC, xact DESC, places_before DESC LIMIT 1");
        return Integer.parseInt(journal.sql("SELECT run FROM archive.last_events"));
    }

    private static void endArchive() {
        journal.sql("DELETE FROM blocks");
        journal.sql("DELETE FROM orders");
    }

    /** Reads one event at a time, and returns the ids. */
    private List<String> walk(Cursor from) {
        List<String> walked = new ArrayList<>();
        EventFeed.Answer answer = after(from, 1, 0).join();
        while (!answer.events().isEmpty()) {
            walked.addAll(ids(answer));
            answer = after(answer.next(), 1, 0).join();
        }
        assertThat(answer.isExpired()).isFalse();
        return walked;
    }
}
