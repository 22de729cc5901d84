package dev.rush.redis.cluster;

import static dev.rush.testing.ScriptedRedis.error;
import static dev.rush.testing.ScriptedRedis.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.OutcomeClass;
import dev.rush.redis.RedisFailure;
import dev.rush.redis.Script;
import dev.rush.redis.batch.BatchTarget;
import dev.rush.testing.Await;
import dev.rush.testing.ScriptedRedis;
import io.vertx.redis.client.RedisClientType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * I8: a Redis that takes no writes for a while is asked a few times, not until the deadline. A
 * busy one is retried past that limit.
 */
class LastingFailureTest {

    private static final int ALL = Integer.MAX_VALUE;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final BatchTarget TARGET = new BatchTarget(
            Script.unfenced("sale/purchase"), Gate.keys("a", "b"), () -> List.of("1000"));

    private final ScriptedRedis redis = ScriptedRedis.start();
    private final AtomicInteger refused = new AtomicInteger();
    private Gate gate;

    @BeforeEach
    void start() {
        gate = new Gate(RedisClientType.STANDALONE, List.of(redis.port()),
                Map.of(), loss -> { });
        redis.answer(words -> text("PONG"));
        Await.until("Redis is known", LIMIT, gate::read);
    }

    @AfterEach
    void stop() throws Exception {
        gate.close();
        redis.close();
    }

    /** Fails the first {@code calls} writes with this error. */
    private void refuse(int calls, String error) {
        redis.answer(words -> (words.get(0).startsWith("EVAL") || words.get(0).equals("SET"))
                && refused.getAndIncrement() < calls ? error(error) : text("OK"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"OOM command not allowed when used memory > 'maxmemory'.",
        "NOREPLICAS Not enough good replicas to write.", "MISCONF Errors writing to the AOF file"})
    void batchIsTriedAFewTimes(String error) {
        refuse(ALL, error);
        assertThat(failure(gate.batcher.submit(TARGET, "request")).outcomeClass())
                .isEqualTo(OutcomeClass.NOTHING_HAPPENED);
        assertThat(refused).hasValue(RedisFailure.LASTING_TRIES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"OOM command not allowed when used memory > 'maxmemory'.",
        "NOREPLICAS Not enough good replicas to write.", "MISCONF Errors writing to the AOF file"})
    void commandIsTriedAFewTimes(String error) {
        refuse(ALL, error);
        assertThat(failure(gate.commands.command("SET", Gate.keys("key"), "value"))
                .outcomeClass()).isEqualTo(OutcomeClass.NOTHING_HAPPENED);
        assertThat(refused).hasValue(RedisFailure.LASTING_TRIES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"BUSY Redis is busy running a script.", "LOADING Redis is loading"})
    void busyRedisIsRetriedBeyondTheLimit(String error) {
        refuse(2 * RedisFailure.LASTING_TRIES, error);
        assertThat(gate.commands.command("SET", Gate.keys("key"), "value").join().text())
                .isEqualTo("OK");
    }

    private static RedisFailure failure(CompletableFuture<?> answer) {
        return (RedisFailure) answer.handle((reply, failure) -> failure).join();
    }
}
