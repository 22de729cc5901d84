package dev.rush.redis.cluster;

import static dev.rush.testing.ScriptedRedis.CUT;
import static dev.rush.testing.ScriptedRedis.SILENCE;
import static dev.rush.testing.ScriptedRedis.error;
import static dev.rush.testing.ScriptedRedis.list;
import static dev.rush.testing.ScriptedRedis.number;
import static dev.rush.testing.ScriptedRedis.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.RedisFailure;
import dev.rush.redis.Reply;
import dev.rush.redis.Script;
import dev.rush.redis.batch.BatchTarget;
import dev.rush.testing.Await;
import dev.rush.testing.ScriptedRedis;
import io.vertx.redis.client.RedisClientType;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * I8: a call to Redis fails at each of its steps in turn, in each way in which that step can fail.
 * Afterwards every request has been answered once, with its outcome class, and no place of a call
 * or connection is leaked: with one call in flight at a time, a single leak stops everything.
 */
class EveryStepEndsTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int REQUESTS = 9;
    private static final int CALLS = 8;
    private static final Map<String, String> SETTINGS = Map.of("rush.deadline", "PT0.25S",
            "rush.batch.in-flight", "1", "rush.batch.size", "4", "rush.redis.silence", "PT0.2S",
            "rush.redis.connect", "PT0.2S", "rush.redis.calls", String.valueOf(CALLS));
    private static final BatchTarget TARGET = new BatchTarget(
            Script.unfenced("sale/purchase"), Gate.keys("a", "b"), () -> List.of("1000"));
    private static final String NEVER = "127.0.0.1:1";

    private final ScriptedRedis redis = ScriptedRedis.start();
    private final AtomicInteger losses = new AtomicInteger();
    private volatile Step step;
    private Gate gate;

    /** The steps of a call in their order, each with a fault. */
    enum Step {
        HELLO_CUT("HELLO", CUT), HELLO_SILENT("HELLO", SILENCE),
        HELLO_REFUSED("HELLO", error("NOAUTH")), HELLO_NONSENSE("HELLO", "?!\r\n"),
        CLOCK_CUT("TIME", CUT), CLOCK_SILENT("TIME", SILENCE), CLOCK_REFUSED("TIME", error("ERR")),
        CLOCK_NIL("TIME", "*-1\r\n"), CLOCK_NO_NUMBER("TIME", list(List.of(text("x"), text("y")))),
        CLOCK_SHORT("TIME", list(List.of(text("1")))),
        SCRIPT_CUT("SCRIPT", CUT), SCRIPT_SILENT("SCRIPT", SILENCE),
        SCRIPT_REFUSED("SCRIPT", error("NOPERM")),
        TENURES_CUT("TENURES", CUT), TENURES_SILENT("TENURES", SILENCE),
        TENURES_REFUSED("TENURES", error("NOPERM")), TENURES_UNKNOWN("TENURES", error("NOSCRIPT")),
        TENURES_FAILED("TENURES", error("ERR in the script")), TENURES_NIL("TENURES", "*-1\r\n"),
        TENURES_NONE("TENURES", list(List.of())), TENURES_ODD("TENURES", list(List.of(number(3)))),
        TENURES_TEXT("TENURES", text("nonsense")),
        TENURES_BAD_NUMBER("TENURES", list(List.of(text("a b c")))),
        CALL_CUT("EVAL", CUT), CALL_SILENT("EVAL", SILENCE),
        CALL_UNKNOWN("EVAL", error("NOSCRIPT")),
        CALL_FAILED("EVAL", error("ERR in the script")), CALL_LOADING("EVAL", error("LOADING")),
        CALL_MOVED_AWAY("EVAL", error("MOVED 7 " + NEVER)),
        CALL_MOVED_NOWHERE("EVAL", error("MOVED 7 :::::1:7")),
        CALL_MOVED_ROUND("EVAL", error("MOVED 7 :%d")),
        CALL_ASKED_ROUND("EVAL", error("ASK 7 :%d")),
        CALL_ASKED_AWAY("EVAL", error("ASK 7 " + NEVER)),
        REPLY_NIL("EVAL", "*-1\r\n"), REPLY_SHORT("EVAL", list(List.of(number(1)))),
        REPLY_TEXT("EVAL", text("nonsense")), REPLY_BAD_BYTES("EVAL", "!!\r\n"),
        REPLY_HALF("EVAL", "*6\r\n:1\r\n"), REPLY_NO_CLOCK("EVAL",
                list(List.of(text("x"), number(1), text("a"), text("b"), text("c"), text("d")))),
        REPLY_NIL_WORD("EVAL", list(List.of(number(1), number(1), "$-1\r\n", "$-1\r\n",
                "$-1\r\n", "$-1\r\n"))),
        REPLY_FEWER("EVAL", list(List.of(number(1), number(1), text("accepted x")))),
        SEQUENCE_WENT_BACK("EVAL", null),
        TOPOLOGY_CUT("CLUSTER", CUT), TOPOLOGY_SILENT("CLUSTER", SILENCE),
        TOPOLOGY_REFUSED("CLUSTER", error("NOPERM")), TOPOLOGY_EMPTY("CLUSTER", list(List.of())),
        TOPOLOGY_NIL("CLUSTER", "*-1\r\n"), TOPOLOGY_ODD("CLUSTER", list(List.of(number(3)))),
        TOPOLOGY_ELSEWHERE("CLUSTER", list(List.of(list(List.of(number(0), number(16_383),
                list(List.of(text("127.0.0.1"), number(1), text("id"))))))));

        private final String command;
        private final String fault;

        Step(String command, String fault) {
            this.command = command;
            this.fault = fault;
        }
    }

    private void start(List<Integer> ports) {
        redis.answer(this::honest);
        redis.introduce(words -> faulty(words, redis.introduction(words)));
        gate = new Gate(RedisClientType.CLUSTER, ports, SETTINGS, loss -> {
            losses.incrementAndGet();
            throw new IllegalStateException("an observer's defect");
        });
    }

    @AfterEach
    void stop() throws Exception {
        gate.close();
        redis.close();
    }

    @ParameterizedTest
    @EnumSource
    void callThatFailsAtAStepAnswersOnceAndFreesItsPlace(Step failing) {
        start(List.of(redis.port()));
        step = failing;
        redis.answer(words -> faulty(words, honest(words)));
        if (failing.command.equals("EVAL")) {
            Await.until("the cluster is known", LIMIT, () -> gate.read());
        }
        everyRequestIsAnsweredOnce();
        step = null;
        serves();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names =
            "(HELLO|CLOCK|SCRIPT|TENURES|TOPOLOGY)_.*")
    void reconnectThatFailsAtAStepAnswersOnceAndFreesItsPlace(Step failing) {
        start(List.of(redis.port()));
        Await.until("the cluster is known", LIMIT, () -> gate.read());
        serves();
        redis.answer(words -> faulty(words, honest(words)));
        step = failing;
        redis.cut();
        everyRequestIsAnsweredOnce();
        step = null;
        serves();
    }

    @Test
    void refusedConnectionEndsItsCalls() throws IOException {
        int unusedPort;
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            unusedPort = closed.getLocalPort();
        }
        start(List.of(unusedPort, redis.port()));
        everyRequestIsAnsweredOnce();
        serves();
    }

    /** A callback may fail: the other requests of its call are still answered. */
    @Test
    void failingCallbackStopsNoOtherRequest() {
        start(List.of(redis.port()));
        Await.until("the cluster is known", LIMIT, () -> gate.read());
        AtomicInteger callbacks = new AtomicInteger();
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            CompletableFuture<String> answer = gate.batcher.submit(TARGET, "request-" + i);
            answer.whenComplete((word, failure) -> {
                callbacks.incrementAndGet();
                throw new IllegalStateException("a caller's defect");
            });
            answers.add(answer);
        }
        Await.until("all are answered", LIMIT, () -> callbacks.get() >= REQUESTS);
        assertThat(callbacks).hasValue(REQUESTS);
        serves();
    }

    private void everyRequestIsAnsweredOnce() {
        AtomicInteger ends = new AtomicInteger();
        List<CompletableFuture<?>> answers = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            answers.add(gate.batcher.submit(TARGET, "request-" + i));
            answers.add(gate.commands.command("GET", Gate.keys("key")));
        }
        answers.forEach(answer -> answer.whenComplete((word, failure) -> ends.incrementAndGet()));
        Await.until("all are answered at " + step, LIMIT, () -> ends.get() >= 2 * REQUESTS);
        assertThat(ends).hasValue(2 * REQUESTS);
        for (CompletableFuture<?> answer : answers) {
            if (answer.isCompletedExceptionally()) {
                assertThat(failure(answer)).isInstanceOf(RedisFailure.class);
            }
        }
    }

    /** All places are free: those of single calls, of the batch queue and of the connection. */
    private void serves() {
        Await.until("purchases flow", LIMIT, () -> "accepted last".equals(
                gate.batcher.submit(TARGET, "last").exceptionally(Throwable::getMessage).join()));
        Await.until("the maximum number of single calls is answered", LIMIT, () -> {
            List<CompletableFuture<String>> commands = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                commands.add(gate.commands.command("GET", Gate.keys("key"))
                        .thenApply(Reply::text).exceptionally(Throwable::getMessage));
            }
            return commands.stream().allMatch(command -> "PONG".equals(command.join()));
        });
    }

    private String faulty(List<String> words, String honest) {
        Step now = step;
        if (now == null || !words.get(0).startsWith(now.command)) {
            return honest;
        }
        return now == Step.SEQUENCE_WENT_BACK ? reply(words, 1)
                : now.fault.replace("%d", Integer.toString(redis.port()));
    }

    private String honest(List<String> words) {
        if (words.get(0).equals("CLUSTER")) {
            return words.get(1).equals("INFO") ? text("cluster_state:ok\r\n")
                    : list(List.of(list(List.of(number(0), number(16_383), list(List.of(
                            text("127.0.0.1"), number(redis.port()), text("id")))))));
        }
        return words.get(0).startsWith("EVAL") ? reply(words, 1_000_000) : text("PONG");
    }

    private String reply(List<String> words, long sequence) {
        List<String> replies = new ArrayList<>(List.of(number(redis.now()), number(sequence)));
        // EVALSHA sha 2 key key head deadline deadlines, then the word of each request.
        for (int i = 8; i < words.size(); i++) {
            replies.add(text("accepted " + words.get(i)));
        }
        return list(replies);
    }

    private static Throwable failure(CompletableFuture<?> answer) {
        try {
            answer.join();
            return null;
        } catch (CompletionException e) {
            return e.getCause();
        }
    }
}
