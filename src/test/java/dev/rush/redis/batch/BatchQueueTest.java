package dev.rush.redis.batch;

import static dev.rush.testing.ScriptedRedis.SILENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.redis.RedisFailure;
import dev.rush.redis.Script;
import dev.rush.redis.cluster.Gate;
import dev.rush.testing.Await;
import dev.rush.testing.ScriptedRedis;
import io.vertx.redis.client.RedisClientType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** I8: a queue of requests that are not sent in time. */
class BatchQueueTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Map<String, String> SETTINGS = Map.of("rush.deadline", "PT1S",
            "rush.batch.in-flight", "1", "rush.redis.connect", "PT0.5S");
    private static final BatchTarget TARGET = new BatchTarget(
            Script.unfenced("sale/purchase"), Gate.keys("a", "b"), () -> List.of("1000"));

    @Test
    @DisplayName("A caller that submits its next request as one expires is counted once")
    void nestedSubmitsAreCounted() throws Exception {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        CompletableFuture<String> expired = new CompletableFuture<>();
        try (ScriptedRedis redis = ScriptedRedis.start();
                Gate gate = new Gate(RedisClientType.STANDALONE, List.of(redis.port()), SETTINGS,
                        loss -> { })) {
            redis.answer(words -> {
                redis.silent(true);
                sent.complete(null);
                return SILENCE;
            });
            // On a slow machine the connection may not be open by the first deadline.
            AtomicReference<CompletableFuture<String>> first = new AtomicReference<>();
            Await.until("one is sent", SOON, () -> {
                first.set(gate.batcher.submit(TARGET, "first"));
                return CompletableFuture.anyOf(sent, first.get().exceptionally(late -> ""))
                        .thenApply(either -> sent.isDone()).join();
            });
            CompletableFuture<String> nested = gate.batcher.submit(TARGET, "queued")
                    .handle((reply, failure) -> {
                        expired.complete(failure.getMessage());
                        return gate.batcher.submit(TARGET, "nested");
                    }).thenCompose(next -> next);

            assertThat(expired.join()).isEqualTo("not sent by the deadline");
            assertThatThrownBy(first.get()::join).hasRootCauseInstanceOf(RedisFailure.class);
            assertThatThrownBy(nested::join).hasRootCauseInstanceOf(RedisFailure.class);
            Await.until("the queue is empty", SOON,
                    () -> gate.registry.get("rush.redis.queue").gauge().value() == 0);
        }
    }
}
