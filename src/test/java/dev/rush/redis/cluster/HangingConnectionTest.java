package dev.rush.redis.cluster;

import static dev.rush.testing.ScriptedRedis.list;
import static dev.rush.testing.ScriptedRedis.number;
import static dev.rush.testing.ScriptedRedis.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.rush.redis.OutcomeClass;
import dev.rush.redis.RedisFailure;
import dev.rush.redis.Reply;
import dev.rush.redis.Script;
import dev.rush.redis.batch.BatchTarget;
import dev.rush.testing.Await;
import dev.rush.testing.FaultyProxy;
import dev.rush.testing.ScriptedRedis;
import io.vertx.redis.client.RedisClientType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** I8: a connection that opens but never answers blocks nothing, and runs nothing late. */
class HangingConnectionTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Map<String, String> SETTINGS = Map.of("rush.deadline", "PT1.5S",
            "rush.batch.in-flight", "1", "rush.redis.connect", "PT0.5S",
            "rush.redis.silence", "PT0.8S");
    private static final BatchTarget TARGET = new BatchTarget(
            Script.unfenced("sale/purchase"), Gate.keys("a", "b"), () -> List.of("1000"));

    @Test
    void hangingConnectionIsReplaced() throws Exception {
        try (ScriptedRedis redis = ScriptedRedis.start();
                Gate gate = gate(redis.port())) {
            redis.answer(words -> reply(redis, words));
            redis.silent(true);
            CompletableFuture<String> waiting = gate.batcher.submit(TARGET, "early");
            assertThat(outcome(waiting)).isEqualTo(OutcomeClass.NOTHING_HAPPENED);

            redis.silent(false);
            Await.until("a new connection serves", LIMIT,
                    () -> gate.batcher.submit(TARGET, "late").join().equals("accepted late"));
        }
    }

    @Test
    void callThatFailedAsNotSentIsNeverSentLater() throws Exception {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        try (ScriptedRedis redis = ScriptedRedis.start();
                FaultyProxy proxy = FaultyProxy.before(redis.port());
                Gate gate = gate(proxy.port())) {
            redis.answer(words -> {
                seen.addAll(words);
                return reply(redis, words);
            });
            proxy.mode(FaultyProxy.Mode.BLACK_HOLE);
            CompletableFuture<Reply> call = gate.commands.command(
                    "SET", Gate.keys("key"), "refused");
            assertThat(outcome(call)).isEqualTo(OutcomeClass.NOTHING_HAPPENED);

            proxy.mode(FaultyProxy.Mode.PASS);
            Await.until("calls are served again", LIMIT, () -> gate.commands.command(
                    "SET", Gate.keys("key"), "later").join() != null);
            assertThat(seen).contains("later").doesNotContain("refused");
        }
    }

    private static Gate gate(int port) {
        return new Gate(RedisClientType.STANDALONE, List.of(port), SETTINGS, loss -> { });
    }

    private static OutcomeClass outcome(CompletableFuture<?> call) {
        Throwable failure = catchThrowable(call::join);
        assertThat(failure).isInstanceOf(CompletionException.class);
        return ((RedisFailure) failure.getCause()).outcomeClass();
    }

    private static String reply(ScriptedRedis redis, List<String> words) {
        return !words.get(0).startsWith("EVAL") ? text("OK") : list(List.of(
                number(redis.now()), number(1), text("accepted " + words.get(8))));
    }
}
