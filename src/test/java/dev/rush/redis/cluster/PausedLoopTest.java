package dev.rush.redis.cluster;

import static dev.rush.testing.ScriptedRedis.list;
import static dev.rush.testing.ScriptedRedis.number;
import static dev.rush.testing.ScriptedRedis.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Script;
import dev.rush.redis.batch.BatchTarget;
import dev.rush.testing.Await;
import dev.rush.testing.ScriptedRedis;
import io.vertx.core.Context;
import io.vertx.redis.client.RedisClientType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** I9: after a pause of the pod, as for garbage collection, it answers what Redis decided. */
class PausedLoopTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int PAUSE_MS = 1_000;
    private static final Map<String, String> SETTINGS =
            Map.of("rush.deadline", "PT0.9S", "rush.redis.silence", "PT0.8S");
    private static final BatchTarget TARGET = new BatchTarget(
            Script.unfenced("sale/purchase"), Gate.keys("a", "b"), () -> List.of("1000"));

    private final CountDownLatch paused = new CountDownLatch(1);
    private final CountDownLatch decided = new CountDownLatch(1);

    @Test
    @DisplayName("A reply that comes during a pause beyond the deadline is the answer")
    void replyDuringPauseIsTheAnswer() throws Exception {
        try (ScriptedRedis redis = ScriptedRedis.start();
                ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Gate gate = new Gate(RedisClientType.STANDALONE, List.of(redis.port()), SETTINGS,
                        loss -> { })) {
            redis.answer(words -> reply(redis, words));
            Await.until("the connection is open", SOON, () -> gate.batcher.submit(TARGET, "first")
                    .exceptionally(late -> "").join().equals("accepted first"));
            connect(gate.router.loop().context(), server.getLocalPort());
            Socket pausing = server.accept();

            redis.answer(words -> {
                pause(pausing);
                return reply(redis, words);
            });
            CompletableFuture<String> answer = gate.batcher.submit(TARGET, "second");

            assertThat(answer.join()).isEqualTo("accepted second");
        }
    }

    /** Opens a connection whose next byte pauses the event loop while it reads. */
    private void connect(Context context, int port) {
        CompletableFuture<Void> connected = new CompletableFuture<>();
        context.runOnContext(ignored -> context.owner().createNetClient().connect(port, "127.0.0.1")
                .onSuccess(socket -> {
                    socket.handler(bytes -> {
                        paused.countDown();
                        await(decided);
                        Await.sleep(PAUSE_MS);
                    });
                    connected.complete(null);
                }));
        connected.join();
    }

    private void pause(Socket socket) {
        try {
            socket.getOutputStream().write('x');
            await(paused);
            decided.countDown();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String reply(ScriptedRedis redis, List<String> words) {
        return !words.get(0).startsWith("EVAL") ? text("OK") : list(List.of(
                number(redis.now()), number(1), text("accepted " + words.get(8))));
    }
}
