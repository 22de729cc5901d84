package dev.rush.event;

import static dev.rush.event.WebhookScene.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.http.ProblemException;
import dev.rush.http.Word;
import dev.rush.ledger.Position;
import dev.rush.ledger.TestJournal;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    private static EmbeddedLedger postgres;
    private static TestJournal journal;

    private EventFeed feed;
    private Position now;

    @BeforeAll
    static void start() {
        postgres = EmbeddedLedger.start();
        journal = new TestJournal(postgres.freshDatabase());
    }

    @AfterAll
    static void stop() throws Exception {
        journal.close();
        postgres.close();
    }

    @BeforeEach
    void begin() {
        feed = new EventFeed(journal.ledger, VERTX,
                TestJournal.config(Map.of("rush.events.waiting", Integer.toString(WAITING_MAX))));
        journal.check();
        now = new Position(Integer.parseInt(journal.sql("SELECT epoch FROM ledger")), 0, 0);
    }

    private static String order() {
        return journal.order(journal.sale("a:9:0"), "u", null, "a:1", 0) + ".confirmed";
    }

    private static List<String> ids(EventFeed.Answer answer) {
        return answer.events().stream().map(CloudEvent::id).toList();
    }

    @Test
    @DisplayName("E1: a waiting call returns the next event and a cursor behind it")
    void waitsForEvents() {
        CompletableFuture<EventFeed.Answer> waiting = feed.after(now, 10, 30);
        await("the call waits", () -> feed.waiting() == 1);
        String first = order();
        EventFeed.Answer answer = waiting.join();
        assertThat(ids(answer)).containsExactly(first);
        await("no call waits", () -> feed.waiting() == 0);
        String second = order();
        assertThat(ids(feed.after(answer.next(), 10, 30).join())).containsExactly(second);
        assertThat(ids(feed.after(now, 10, 0).join())).containsExactly(first, second);
    }

    @Test
    @DisplayName("E1: if no event comes in time, the answer has no events and the same cursor")
    void endsInTime() {
        EventFeed.Answer answer = feed.after(now, 10, 1).join();
        assertThat(answer).isEqualTo(new EventFeed.Answer(List.of(), now, false));
        await("no call waits", () -> feed.waiting() == 0);
        assertThat(feed.after(now, 10, 0).join()).isEqualTo(answer);
    }

    @Test
    @DisplayName("E1: the number of waiting calls is limited; one more is unavailable")
    void waitingCallsAreLimited() {
        List<CompletableFuture<EventFeed.Answer>> waiting = new ArrayList<>();
        for (int i = 0; i < WAITING_MAX; i++) {
            waiting.add(feed.after(now, 10 + i % 2, 30));
        }
        await("all calls wait", () -> feed.waiting() == WAITING_MAX);
        assertThatThrownBy(() -> feed.after(now, 10, 30).join())
                .isInstanceOf(CompletionException.class).cause()
                .isInstanceOfSatisfying(ProblemException.class, e ->
                        assertThat(e.problem().word()).isEqualTo(Word.UNAVAILABLE));
        assertThat(feed.after(now, 10, 0).join().events()).isEmpty();
        String order = order();
        waiting.forEach(call -> assertThat(ids(call.join())).containsExactly(order));
        await("no call waits", () -> feed.waiting() == 0);
    }

    @Test
    @DisplayName("E1: a pod that is stopping answers waiting calls at once")
    void stops() {
        CompletableFuture<EventFeed.Answer> waiting = feed.after(now, 10, 30);
        await("the call waits", () -> feed.waiting() == 1);
        feed.drain(null);
        assertThat(waiting.join().events()).isEmpty();
        assertThat(feed.after(now, 10, 30).join().events()).isEmpty();
    }

    @Test
    @DisplayName("E1: a cursor of now skips every earlier event and no later one")
    void beginsNow() {
        order();
        EventFeed.Answer begin = feed.now().join();
        assertThat(begin.events()).isEmpty();
        assertThat(feed.after(begin.next(), 10, 0).join()).isEqualTo(begin);
        String later = order();
        assertThat(ids(feed.after(begin.next(), 10, 0).join())).containsExactly(later);
        journal.check();
        assertThat(feed.after(begin.next(), 10, 0).join().isExpired()).isTrue();
    }

    @Test
    @DisplayName("E1: a cursor whose row is gone is expired; the answer has the start of the feed")
    void expires() {
        order();
        Position after = feed.after(now, 1, 0).join().next();
        journal.sql("DELETE FROM blocks WHERE epoch = " + now.epoch());
        assertThat(feed.after(after, 1, 30).join())
                .isEqualTo(new EventFeed.Answer(List.of(), EventReader.START, true));
    }
}
