package dev.rush.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partition;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A repeated purchase gets the ledger's decision about the first one. */
class EarlierDecisionsTest {
    private static final Partition PARTITION = TestLife.PARTITIONS.all().get(1);
    private static final Vertx VERTX = Vertx.vertx();
    private static TestLife test;
    private static Decisions decisions;
    private static EarlierDecisions earlier;

    @BeforeAll
    static void start() {
        test = new TestLife();
        decisions = new Decisions(test.gate.router, VERTX, test.journal.config,
                new SimpleMeterRegistry());
        earlier = new EarlierDecisions(decisions, test.records, test.statuses);
    }

    @AfterAll
    static void stop() throws Exception {
        decisions.stop();
        test.close();
        VERTX.close().toCompletionStage().toCompletableFuture().join();
    }

    @BeforeEach
    void prepare() {
        test.clear();
    }

    private static CompletableFuture<Decision> decision(String sale, UUID order) {
        return earlier.of(sale, PARTITION, "u", order.toString());
    }

    private static void record(UUID order, long waitingFrom) {
        test.record = "a " + order + " k = a:1 9 1 0 7\n";
        test.waitingFrom = waitingFrom;
    }

    @Test
    @DisplayName("While the order is queued in the stream, the call waits for the decision")
    void waits() {
        UUID order = UUID.randomUUID();
        record(order, 7);
        CompletableFuture<Decision> decision = decision(test.sale(1), order);
        decisions.decided(PARTITION, "!" + order);
        assertThat(decision.join()).isEqualTo(Decision.REJECTED);
        UUID late = UUID.randomUUID();
        record(late, 7);
        assertThat(decision(test.sale(1), late).join()).isEqualTo(Decision.UNKNOWN);
    }

    @Test
    @DisplayName("Once the order has left the stream, the ledger is asked")
    void stored() {
        String sale = test.sale(1);
        UUID order = test.order(sale, "k", 0);
        record(order, 8);
        assertThat(decision(sale, order).join()).isEqualTo(Decision.STORED);
        assertThat(decision(sale, UUID.randomUUID()).join()).isEqualTo(Decision.UNKNOWN);
        UUID rejected = UUID.randomUUID();
        test.journal.sql("INSERT INTO rejected SELECT '" + rejected + "', month, block, 9,"
                + " placed_at_ms, 0, partition, sale, 'u', 'r', digest, lines, lefts, NULL,"
                + " 'sold-out'"
                + " FROM orders WHERE id = '" + order + "'");
        assertThat(decision(sale, rejected).join()).isEqualTo(Decision.REJECTED);
        test.failing.add(PARTITION.tag());
        assertThat(decision(sale, order).join()).isEqualTo(Decision.UNKNOWN);
    }
}
