package dev.rush.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Await;
import dev.rush.testing.ScriptedRedis;
import io.vertx.redis.client.RedisClientType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A stream is followed whatever Redis does to a blocked reader. */
class StreamTailTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final long BACK_MS = 1_000;
    private static final String KEY = Gate.keys("decided").texts().get(0);
    private final ScriptedRedis redis = ScriptedRedis.start();
    private final Gate gate = new Gate(RedisClientType.STANDALONE, List.of(redis.port()),
            Map.of(), loss -> { });
    private final BlockingQueue<String> replies = new LinkedBlockingQueue<>();
    /** The ids after which the tail has read, in order. */
    private final List<String> positions = new CopyOnWriteArrayList<>();
    private final List<String> read = new CopyOnWriteArrayList<>();
    private final StreamTail tail = new StreamTail(gate.router, Gate.keys("decided"),
            () -> BACK_MS, fields -> read.add(fields.at(1).text()));

    @BeforeEach
    void start() {
        redis.answer(this::answer);
        tail.start();
    }

    @AfterEach
    void stop() throws Exception {
        tail.stop();
        gate.close();
        redis.close();
    }

    /** Blocks for a while, as XREAD does. */
    private String answer(List<String> words) {
        assertThat(words).startsWith("XREAD").contains("BLOCK", KEY);
        positions.add(words.get(words.size() - 1));
        try {
            String reply = replies.poll(100, TimeUnit.MILLISECONDS);
            return reply == null ? "*-1\r\n" : reply;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String entry(String id, String text) {
        return ScriptedRedis.list(List.of(ScriptedRedis.list(List.of(ScriptedRedis.text(KEY),
                ScriptedRedis.list(List.of(ScriptedRedis.list(List.of(ScriptedRedis.text(id),
                        ScriptedRedis.list(List.of(ScriptedRedis.text("ids"),
                                ScriptedRedis.text(text)))))))))));
    }

    private void awaitRead(String... texts) {
        Await.until("it is read", SOON, () -> read.equals(List.of(texts)),
                () -> read + " after " + positions);
    }

    private static void assertBack(String id, long now) {
        assertThat(Long.parseLong(id.substring(0, id.indexOf('-'))))
                .isBetween(now - BACK_MS - 60_000, now - BACK_MS + 1);
    }

    @Test
    @DisplayName("Reading begins a little in the past and continues after the last entry")
    void readingContinuesAfterTheLastEntry() {
        replies.add(entry("99-1", "one"));
        replies.add(entry("99-2", "two"));
        awaitRead("one", "two");
        assertBack(positions.get(0), redis.now());
        Await.until("it goes on", SOON, () -> positions.contains("99-2"), positions::toString);
        assertThat(positions).contains("99-1");
    }

    @Test
    @DisplayName("A start after a stop is not lost, even if the stop comes from another thread")
    void startFollowsStop() {
        Await.until("it reads", SOON, () -> !positions.isEmpty());
        CompletableFuture<Void> restarted = new CompletableFuture<>();
        gate.router.background().context().runOnContext(ignored -> {
            CompletableFuture.runAsync(tail::stop).join();
            tail.start();
            restarted.complete(null);
        });
        restarted.join();
        int before = positions.size();
        Await.until("it reads again", SOON, () -> positions.size() > before + 3);
        replies.add(entry("99-1", "one"));
        awaitRead("one");
    }

    @Test
    @DisplayName("The tail leaves a former master, and reads from a little earlier")
    void formerMasterIsLeft() {
        replies.add(entry("99-1", "one"));
        replies.add(ScriptedRedis.error("UNBLOCKED force unblock from blocking operation"));
        replies.add(entry("99-2", "two"));
        awaitRead("one", "two");
        int last = positions.lastIndexOf("99-1");
        assertThat(last).isPositive();
        assertBack(positions.get(last + 1), redis.now());
    }

    @Test
    @DisplayName("A connection that hangs is replaced")
    void hangingConnectionIsReplaced() {
        replies.add(entry("99-1", "one"));
        awaitRead("one");
        replies.add(ScriptedRedis.SILENCE);
        replies.add(entry("99-2", "two"));
        awaitRead("one", "two");
    }

    @Test
    @DisplayName("An entry that the reader cannot process stops nothing")
    void malformedEntryStopsNothing() {
        replies.add("*1\r\n*2\r\n" + ScriptedRedis.text(KEY) + "*1\r\n*2\r\n"
                + ScriptedRedis.text("99-1") + "*0\r\n");
        replies.add(entry("99-2", "two"));
        awaitRead("two");
    }

    @Test
    @DisplayName("After an id from the future, the tail reads from a little earlier")
    void idFromTheFutureIsLeft() {
        replies.add(entry("99999999999999-1", "one"));
        awaitRead("one");
        Await.until("it went back", SOON, () -> positions.size() > 2
                && !positions.get(positions.size() - 1).startsWith("99999999999999"),
                positions::toString);
        assertBack(positions.get(positions.size() - 1), redis.now());
    }
}
