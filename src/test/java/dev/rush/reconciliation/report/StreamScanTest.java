package dev.rush.reconciliation.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.http.OutcomeCode;
import dev.rush.http.ProblemException;
import dev.rush.ledger.TestJournal;
import dev.rush.redis.Layout;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.Gate;
import dev.rush.testing.Resp;
import io.vertx.redis.client.RedisClientType;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Reading a backlog of a real Redis. */
class StreamScanTest {
    private static final Partition PARTITION = new Partitions(8).all().get(0);
    private static final int ORDERS = 1_000;
    private static EmbeddedRedis server;
    private static Resp redis;
    private static Gate gate;

    private final StreamScan streams = new StreamScan(gate.commands,
            TestJournal.config(Map.of("rush.books.backlog", "3000")));

    @BeforeAll
    static void start() {
        server = EmbeddedRedis.start();
        redis = Resp.connect(server.port());
        gate = new Gate(RedisClientType.STANDALONE, List.of(server.port()), Map.of(),
                loss -> { });
    }

    @AfterAll
    static void stop() throws Exception {
        gate.close();
        redis.close();
        server.close();
    }

    @BeforeEach
    void empty() {
        redis.command("FLUSHALL");
        redis.command("SET", PARTITION.key("layout"), Integer.toString(Layout.newest()));
    }

    private static void add(int call) {
        StringBuilder purchase = new StringBuilder("s 1 0 1 1");
        for (int order = 0; order < ORDERS; order++) {
            purchase.append(" u ").append(call * ORDERS + order).append(" k = apple:1 1");
        }
        redis.command("XADD", PARTITION.key("orders"), call + "-0", "purchase",
                purchase.toString());
    }

    @Test
    @DisplayName("A backlog that would fill a pod's memory is not read, only that there is one")
    void hugeBacklog() {
        assertThat(streams.has(PARTITION, "purchase", "s", "9-0")).isFalse();
        for (int call = 1; call <= 4; call++) {
            add(call);
        }
        assertThat(streams.read(PARTITION, "purchase", "s", "3-0")).hasSize(3_000);
        assertThatThrownBy(() -> streams.read(PARTITION, "purchase", "s", "4-0"))
                .isInstanceOfSatisfying(ProblemException.class, thrown ->
                        assertThat(thrown.problem().code()).isEqualTo(OutcomeCode.UNAVAILABLE));
        assertThat(streams.has(PARTITION, "purchase", "s", "4-0")).isTrue();
        assertThat(streams.has(PARTITION, "purchase", "other", "4-0")).isFalse();
    }

    @Test
    @DisplayName("Waiting orders are told apart from others, however many wait")
    void removeWaiting() {
        for (int call = 1; call <= 4; call++) {
            add(call);
        }
        Set<String> ids = new HashSet<>(List.of("1001", "4999", "5001"));
        streams.removeWaiting(PARTITION, "purchase", "s", "4-0", ids);
        assertThat(ids).as("in no entry").containsExactly("5001");
    }

    @Test
    @DisplayName("Only requeued orders are waited for, behind any number of others")
    void requeued() {
        String orders = PARTITION.key("orders");
        assertThat(isRequeuedPast("0-0", Duration.ZERO)).isTrue();
        for (int entry = 1; entry <= 520; entry++) {
            redis.command("XADD", orders, entry + "-0", "purchase", "s 1 0 " + entry + " "
                    + (entry == 410 ? "0" : "10") + " u o k = apple:0 1");
        }
        assertThat(isRequeuedPast("520-0", Duration.ofMillis(500))).isFalse();
        assertThat(isRequeuedPast("409-0", Duration.ofSeconds(60))).isTrue();
        redis.command("XDEL", orders, "410-0");
        assertThat(isRequeuedPast("520-0", Duration.ZERO)).isTrue();
    }

    private boolean isRequeuedPast(String last, Duration limit) {
        return streams.awaitRequeued(PARTITION, last, System.nanoTime() + limit.toNanos());
    }
}
