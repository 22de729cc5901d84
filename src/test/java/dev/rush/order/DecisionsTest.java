package dev.rush.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.RushConfig;
import dev.rush.dev.EmbeddedRedis;
import dev.rush.redis.Layout;
import dev.rush.redis.Partition;
import dev.rush.redis.Script;
import dev.rush.redis.cluster.Gate;
import dev.rush.testing.Await;
import dev.rush.testing.Resp;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.vertx.core.Vertx;
import io.vertx.redis.client.RedisClientType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Waiting callers get the ledger's decisions, even across failures of Redis. */
class DecisionsTest {
    private static final Script ACKNOWLEDGE = Script.load("ledger/acknowledge");
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Partition PARTITION = Gate.PARTITIONS.all().get(7);
    private final EmbeddedRedis redis = EmbeddedRedis.start();
    private final Gate gate = new Gate(RedisClientType.STANDALONE, List.of(redis.port()),
            Map.of(), loss -> { });
    private final Vertx vertx = Vertx.vertx();
    private Decisions decisions;

    @BeforeEach
    void start() {
        try (Resp resp = Resp.connect(redis.port())) {
            resp.command("SET", PARTITION.key(Layout.NAME), Integer.toString(Layout.newest()));
        }
        decisions = decisions("PT60S");
    }

    private Decisions decisions(String deadline) {
        RushConfig config = new SmallRyeConfigBuilder().withMapping(RushConfig.class)
                .withDefaultValues(Map.of("rush.deadline", deadline, "rush.ledger.waiting", "5"))
                .build()
                .getConfigMapping(RushConfig.class);
        return new Decisions(gate.router, vertx, config, new SimpleMeterRegistry());
    }

    @AfterEach
    void stop() throws Exception {
        decisions.stop();
        gate.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
        redis.close();
    }

    private void acknowledge(String ids) {
        gate.commands.script(ACKNOWLEDGE,
                PARTITION.keys().orders().named("ledger", "decided"), List.of("1", "1", ids))
                .join();
    }

    private CompletableFuture<Decision> await(String order) {
        return decisions.await(PARTITION, order);
    }

    @Test
    @DisplayName("A decision completes all callers that wait for its order, and no others")
    void completesCallers() {
        CompletableFuture<Decision> stored = await("o1");
        CompletableFuture<Decision> rejected = await("o2");
        CompletableFuture<Decision> tried = await("o3");
        CompletableFuture<Decision> forgotten = await("o4");
        forgotten.complete(Decision.UNKNOWN);
        acknowledge("o0 o1 !o2 ?o3 o4");
        assertThat(stored.join()).isEqualTo(Decision.STORED);
        assertThat(rejected.join()).isEqualTo(Decision.REJECTED);
        assertThat(tried).isNotDone();
        acknowledge("!o3");
        assertThat(tried.join()).isEqualTo(Decision.REJECTED);
        assertThat(forgotten.join()).isEqualTo(Decision.UNKNOWN);
        CompletableFuture<Decision> near = await("o5");
        decisions.decided(PARTITION, "");
        decisions.decided(PARTITION, "o5");
        assertThat(near.join()).isEqualTo(Decision.STORED);
    }

    /** Only decisions of the last second are read, so slower attempts prove nothing. */
    @Test
    @DisplayName("A decision from just before the stream was followed is received")
    void receivesDecisionsFromJustBefore() {
        Await.until("a wait begins within a second of the decision", SOON, () -> {
            decisions.stop();
            decisions = decisions("PT60S");
            long before = System.nanoTime();
            acknowledge("o1");
            CompletableFuture<Decision> heard = await("o1");
            boolean isQuick = System.nanoTime() - before < TimeUnit.SECONDS.toNanos(1);
            assertThat(isQuick ? heard.join() : Decision.STORED).isEqualTo(Decision.STORED);
            return isQuick;
        });
    }

    @Test
    @DisplayName("The stream is followed again after Redis restarts")
    void followsAgainAfterARestart() {
        CompletableFuture<Decision> first = await("o1");
        acknowledge("o1");
        first.join();
        CompletableFuture<Decision> second = await("o2");
        redis.kill();
        redis.restart();
        Await.until("Redis acknowledges again", SOON, () -> {
            try {
                acknowledge("o2");
                return true;
            } catch (RuntimeException e) {
                return false;
            }
        }, () -> "");
        assertThat(second.join()).isEqualTo(Decision.STORED);
    }

    @Test
    @DisplayName("A stream that was lost and restarts is followed, even if its clock is behind")
    void followsALostStream() {
        try (Resp resp = Resp.connect(redis.port())) {
            String key = PARTITION.key("decided");
            resp.command("XADD", key, "99999999999999-1", "ids", "o0");
            CompletableFuture<Decision> ahead = await("o0");
            assertThat(ahead.join()).isEqualTo(Decision.STORED);
            resp.command("DEL", key);
            CompletableFuture<Decision> now = await("o1");
            acknowledge("o1");
            assertThat(now.join()).isEqualTo(Decision.STORED);
        }
    }

    /** A sweep at the wrong moment is likely for some of many readers. */
    @Test
    @DisplayName("The stream is followed even if a sweep runs just as the first caller arrives")
    void followsDespiteSweeps() throws Exception {
        List<DecisionReader> readers = Stream.generate(() -> new DecisionReader(gate.router,
                PARTITION, SOON.toNanos(), new AtomicInteger())).limit(100).toList();
        AtomicReference<DecisionReader> swept = new AtomicReference<>(readers.get(0));
        Thread sweeps = new Thread(() -> {
            DecisionReader next = swept.get();
            while (next != null) {
                next.sweep();
                next = swept.get();
            }
        });
        sweeps.start();
        List<CompletableFuture<Decision>> first = readers.stream().map(reader -> {
            swept.set(reader);
            return reader.await("o1");
        }).toList();
        swept.set(null);
        sweeps.join();
        acknowledge("o1");
        first.forEach(caller -> caller.completeOnTimeout(Decision.UNKNOWN, SOON.toSeconds(),
                TimeUnit.SECONDS));
        assertThat(first).extracting(CompletableFuture::join).containsOnly(Decision.STORED);
        readers.forEach(DecisionReader::stop);
    }

    @Test
    @DisplayName("All callers that wait for an order are completed, even if one of them gave up")
    void completesAllCallersOfAnOrder() {
        CompletableFuture<Decision> first = await("o1");
        CompletableFuture<Decision> repeated = await("o1");
        CompletableFuture<Decision> impatient = await("o1");
        impatient.complete(Decision.UNKNOWN);
        acknowledge("o1");
        assertThat(first.join()).isEqualTo(Decision.STORED);
        assertThat(repeated.join()).isEqualTo(Decision.STORED);
    }

    @Test
    @DisplayName("The number of waiting callers is limited over all partitions")
    void limitsCallers() {
        for (int i = 1; i < 5; i++) {
            await("o" + i);
        }
        assertThat(decisions.isStuck(PARTITION)).isFalse();
        CompletableFuture<Decision> last = decisions.await(Gate.PARTITIONS.all().get(8), "o5");
        assertThat(decisions.isStuck(PARTITION)).isTrue();
        last.complete(Decision.UNKNOWN);
        assertThat(decisions.isStuck(PARTITION)).isFalse();
        decisions.decided(PARTITION, "o1 o2 o3 o4");
    }

    @Test
    @DisplayName("A caller times out, and until something is decided only one more may wait")
    void timesOut() {
        decisions.stop();
        decisions = decisions("PT5S");
        assertThat(decisions.isStuck(PARTITION)).isFalse();
        CompletableFuture<Decision> late = await("o1");
        Await.until("nothing is decided", SOON, () -> decisions.isStuck(PARTITION), () -> "");
        assertThat(late.join()).isEqualTo(Decision.UNKNOWN);
        assertThat(decisions.isStuck(PARTITION)).isFalse();
        // Nothing has been decided yet, so only one caller at a time may wait.
        CompletableFuture<Decision> next = await("o2");
        assertThat(decisions.isStuck(PARTITION)).isTrue();
        acknowledge("o2");
        assertThat(next.join()).isEqualTo(Decision.STORED);
        await("o3");
        assertThat(decisions.isStuck(PARTITION)).isFalse();
    }
}
