package dev.rush.redis.cluster;

import static dev.rush.testing.ScriptedRedis.CUT;
import static dev.rush.testing.ScriptedRedis.SILENCE;
import static dev.rush.testing.ScriptedRedis.error;
import static dev.rush.testing.ScriptedRedis.list;
import static dev.rush.testing.ScriptedRedis.number;
import static dev.rush.testing.ScriptedRedis.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.OutcomeClass;
import dev.rush.redis.RedisFailure;
import dev.rush.redis.Reply;
import dev.rush.redis.Script;
import dev.rush.redis.batch.BatchTarget;
import dev.rush.testing.Await;
import dev.rush.testing.ScriptedRedis;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * I8: whatever Redis replies and wherever the client has a defect, each request is answered once,
 * and the place of its call is freed. With one call in flight at a time, a single leaked place
 * stops everything.
 */
class EveryCallEndsTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Map<String, String> SETTINGS = Map.of("rush.deadline", "PT0.3S",
            "rush.batch.in-flight", "1", "rush.batch.size", "4", "rush.redis.silence", "PT0.2S",
            "rush.redis.connect", "PT0.2S");
    private static final BatchTarget TARGET = new BatchTarget(
            Script.unfenced("sale/purchase"), Gate.keys("a", "b"), () -> List.of("1000"));

    private final long seed = Long.getLong("rush.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final ScriptedRedis redis = ScriptedRedis.start();
    private Gate gate;

    @BeforeEach
    void start() {
        gate = new Gate(RedisClientType.CLUSTER, List.of(redis.port()), SETTINGS, loss -> {
            throw new IllegalStateException("an observer's defect");
        });
        honest();
        Await.until("the cluster is known", LIMIT, () -> gate.read());
    }

    @AfterEach
    void stop() throws Exception {
        gate.close();
        redis.close();
    }

    @Test
    void everyRequestIsAnsweredOnceAndNoPlaceLeaks() {
        redis.answer(words -> cluster(words) ? honest(words) : anything(words));
        List<CompletableFuture<String>> answers = new ArrayList<>();
        AtomicInteger ends = new AtomicInteger();
        for (int i = 0; i < 300; i++) {
            CompletableFuture<String> answer = gate.batcher.submit(TARGET, "request-" + i);
            answer.whenComplete((word, failure) -> ends.incrementAndGet());
            answers.add(answer);
            Await.sleep(random.nextInt(12));
        }
        Await.until("all are answered, -Drush.seed=" + seed, LIMIT, () -> ends.get() >= 300);
        assertThat(ends).as("-Drush.seed=%d", seed).hasValue(300);
        assertThat(answers).as("-Drush.seed=%d", seed).allSatisfy(answer -> {
            if (answer.isCompletedExceptionally()) {
                assertThat(failure(answer)).isInstanceOf(RedisFailure.class);
            }
        });
        serves();
    }

    @ParameterizedTest
    @ValueSource(strings = {"MOVED 1 ::1:%d", "MOVED 1 [::1]:%d", "MOVED 1 ?:%d", "MOVED 1 :%d",
        "MOVED 1 localhost:%d", "MOVED 1 nowhere.invalid:%d", "MOVED 1 ?:port", "MOVED 1",
        "MOVED 1 a..b:%d", "MOVED 1 :::::1:%d", "MOVED 1 127.0.0.1:99999", "ASK 1 ?:%d",
        "ASK 1 :::::1:%d", "ASK 1 nonsense", "NOSCRIPT", "TRYAGAIN", "-", "ERR", "CLUSTERDOWN x"})
    void errorThatCannotBeFollowedStopsNothing(String error) {
        redis.answer(words -> cluster(words) ? honest(words)
                : error(error.formatted(redis.port())));
        CompletableFuture<String> answer = gate.batcher.submit(TARGET, "request");
        CompletableFuture<Reply> command = gate.commands.command(
                "GET", Gate.keys("key"));
        Await.until("both are answered", LIMIT, () -> answer.isDone() && command.isDone());
        assertThat(failure(answer)).isInstanceOf(RedisFailure.class);
        assertThat(failure(command)).isInstanceOf(RedisFailure.class);
        serves();
    }

    @Test
    void requestThatCannotBeCreatedEndsItsCall() throws Exception {
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        EventLoopClient loop = gate.router.background();
        loop.run(() -> loop.execute(7, new Call() {
            @Override
            protected Request request(Node node, boolean asText) {
                throw new IllegalStateException("a defect");
            }
        }).onFailure(ended::complete));
        assertThat(ended.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOfSatisfying(RedisFailure.class, failure -> assertThat(
                        failure.outcomeClass()).isEqualTo(OutcomeClass.NOTHING_HAPPENED));
        serves();
    }

    /** Afterwards an honest Redis is used at once or, behind a dead node, a moment later. */
    private void serves() {
        honest();
        Await.until("purchases flow, -Drush.seed=" + seed, LIMIT,
                () -> gate.batcher.submit(TARGET, "last").join().equals("accepted last"));
    }

    private void honest() {
        redis.answer(this::honest);
    }

    private String honest(List<String> words) {
        if (words.get(0).equals("CLUSTER")) {
            return words.get(1).equals("INFO") ? text("cluster_state:ok\r\n")
                    : list(List.of(list(List.of(number(0), number(16_383), list(List.of(
                            text("127.0.0.1"), number(redis.port()), text("id")))))));
        }
        return words.get(0).startsWith("EVAL") ? reply(words) : text("PONG");
    }

    private static boolean cluster(List<String> words) {
        return words.get(0).equals("CLUSTER");
    }

    private String reply(List<String> words) {
        List<String> replies = new ArrayList<>(List.of(number(redis.now()), number(1_000_000)));
        // EVALSHA sha 2 key key head deadline deadlines, then a word of each request.
        for (int i = 8; i < words.size(); i++) {
            replies.add(text("accepted " + words.get(i)));
        }
        return list(replies);
    }

    private String anything(List<String> words) {
        List<String> replies = List.of(reply(words), CUT, SILENCE, text("nonsense"), number(7),
                "$-1\r\n", "*-1\r\n", list(List.of()), list(List.of(number(redis.now()))),
                list(List.of(number(redis.now()), number(1))),
                list(List.of(text("x"), text("y"), text("z"))),
                list(Collections.nCopies(9, "$-1\r\n")),
                list(List.of(number(redis.now()), number(1), text("accepted"), error("ERR"))),
                error("MOVED 7 ::1:" + redis.port()), error("MOVED 7 ?:" + redis.port()),
                error("MOVED 7 :::::1:7"), error("ASK 7 :" + redis.port()), error("ASK"),
                error("NOSCRIPT"), error("TRYAGAIN"), error("ERR in the script"), error(""));
        return random.nextInt(3) == 0 ? reply(words)
                : replies.get(random.nextInt(replies.size()));
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
