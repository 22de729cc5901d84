package dev.rush.redis.batch;

import static dev.rush.testing.ScriptedRedis.list;
import static dev.rush.testing.ScriptedRedis.number;
import static dev.rush.testing.ScriptedRedis.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.redis.Script;
import dev.rush.redis.cluster.EventLoopClient;
import dev.rush.redis.cluster.Gate;
import dev.rush.testing.Await;
import dev.rush.testing.ScriptedRedis;
import io.vertx.redis.client.RedisClientType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** I8: the batch queue belongs to one event loop; threads hand their requests over to it. */
class BatchQueueThreadsTest {
    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final int THREADS = 8;
    private static final int REQUESTS = 500 * Integer.getInteger("concurrency.effort", 1);
    private static final BatchTarget TARGET = new BatchTarget(
            Script.unfenced("sale/purchase"), Gate.keys("a", "b"), () -> List.of("1000"));

    private final ScriptedRedis redis = ScriptedRedis.start();
    private final Gate gate = new Gate(RedisClientType.STANDALONE, List.of(redis.port()),
            Map.of("rush.deadline", "PT60S", "rush.batch.in-flight", "2",
                    "rush.batch.size", "16", "rush.batch.queue", "1000000"), loss -> { });

    @AfterEach
    void stop() throws Exception {
        gate.close();
        redis.close();
    }

    @Test
    void eachRequestOfManyThreadsGetsItsOwnAnswerOnce() {
        redis.answer(this::reply);
        Map<String, CompletableFuture<String>> answers = new ConcurrentHashMap<>();
        AtomicInteger ends = new AtomicInteger();
        List<Thread> threads = IntStream.range(0, THREADS).mapToObj(thread -> new Thread(() -> {
            for (int i = 0; i < REQUESTS; i++) {
                String word = thread + "-" + i;
                CompletableFuture<String> answer = gate.batcher.submit(TARGET, word);
                answer.whenComplete((reply, failure) -> ends.incrementAndGet());
                answers.put(word, answer);
            }
        })).toList();
        threads.forEach(Thread::start);
        Await.until("all are answered", LIMIT, () -> ends.get() >= THREADS * REQUESTS
                && answers.size() == THREADS * REQUESTS);

        assertThat(ends).hasValue(THREADS * REQUESTS);
        assertThat(answers).hasSize(THREADS * REQUESTS);
        answers.forEach((word, answer) -> assertThat(answer.join()).isEqualTo("accepted " + word));
    }

    @Test
    void otherThreadsCannotUseObjectsOfAnEventLoop() {
        EventLoopClient loop = gate.router.loop();
        CompletableFuture<BatchQueue> created = new CompletableFuture<>();
        loop.run(() -> created.complete(gate.batcher.queues(loop).of(TARGET)));
        BatchQueue queue = created.join();

        assertThatThrownBy(() -> gate.batcher.queues(loop).of(TARGET))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> queue.submit(new BatchQueue.Pending(
                new String[0], System.nanoTime(), new CompletableFuture<>())))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> loop.onSweep(now -> false)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> loop.execute(7, null)).isInstanceOf(AssertionError.class);
    }

    private String reply(List<String> words) {
        List<String> replies = new ArrayList<>(List.of(number(redis.now()), number(1_000_000)));
        // EVALSHA sha 2 key key head deadline deadlines, then the word of each request.
        for (int i = 8; i < words.size(); i++) {
            replies.add(text("accepted " + words.get(i)));
        }
        return list(replies);
    }
}
