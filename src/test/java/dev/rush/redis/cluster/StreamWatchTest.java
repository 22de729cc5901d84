package dev.rush.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.redis.Layout;
import dev.rush.redis.Partition;
import dev.rush.testing.Await;
import dev.rush.testing.Resp;
import io.vertx.redis.client.RedisClientType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A watch notifies as soon as a stream has an entry. */
class StreamWatchTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Partition PARTITION = Gate.PARTITIONS.all().get(7);
    private final EmbeddedRedis redis = EmbeddedRedis.start();
    private final Gate gate = new Gate(RedisClientType.STANDALONE, List.of(redis.port()),
            Map.of(), loss -> { });
    private final AtomicInteger found = new AtomicInteger();
    private final StreamWatch watch = new StreamWatch(gate.router, PARTITION.keys().orders(),
            found::incrementAndGet);

    @BeforeEach
    void start() {
        try (Resp resp = Resp.connect(redis.port())) {
            resp.command("SET", PARTITION.key(Layout.NAME), Integer.toString(Layout.newest()));
        }
    }

    @AfterEach
    void stop() throws Exception {
        watch.stop();
        gate.close();
        redis.close();
    }

    private void awaitFound(int times) {
        Await.until("it is notified", SOON, () -> found.get() == times, () -> "" + found);
    }

    private boolean isWatched(Resp resp) {
        return resp.command("CLIENT", "LIST").toString().contains("cmd=xread");
    }

    @Test
    @DisplayName("Each start notifies once, about a present or a later entry")
    void eachStartIsNotifiedOnce() {
        try (Resp resp = Resp.connect(redis.port())) {
            watch.start();
            watch.start();
            Await.until("it watches", SOON, () -> isWatched(resp));
            assertThat(found.get()).isZero();
            resp.command("XADD", PARTITION.key("orders"), "*", "purchase", "x");
            awaitFound(1);
            watch.start();
            awaitFound(2);
            resp.command("DEL", PARTITION.key("orders"));
            watch.start();
            resp.command("XADD", PARTITION.key("orders"), "*", "purchase", "x");
            awaitFound(3);
            watch.stop();
            Await.until("it stops watching", SOON, () -> !isWatched(resp));
            watch.start();
        }
    }

    @Test
    @DisplayName("A Redis that restarts is watched again")
    void restartedRedisIsWatchedAgain() {
        watch.start();
        try (Resp resp = Resp.connect(redis.port())) {
            Await.until("it watches", SOON, () -> isWatched(resp));
        }
        redis.kill();
        redis.restart();
        try (Resp resp = Resp.connect(redis.port())) {
            resp.command("XADD", PARTITION.key("orders"), "*", "purchase", "x");
        }
        awaitFound(1);
    }
}
