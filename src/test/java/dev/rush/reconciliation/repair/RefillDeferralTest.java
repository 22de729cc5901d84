package dev.rush.reconciliation.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.OrderStatus;
import dev.rush.ledger.writer.TestWriter;
import dev.rush.redis.Partition;
import dev.rush.testing.Await;
import dev.rush.testing.Resp;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** New orders wait until lost ones are refilled, and not longer than needed. */
class RefillDeferralTest extends RepairScene {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Partition OTHER = PARTITIONS.all().get(1);
    private static final int MANY = 300;

    @BeforeEach
    void begin() {
        fallBehind();
    }

    @Test
    @DisplayName("New orders do not wait for ever for a partition that cannot be refilled")
    void deferringEnds() {
        redis.command("HSET", key("buyers"), "u", "a nonsense\n");
        test.sql("UPDATE partitions SET defers = true WHERE partition = 0");
        refill().round();
        assertThat(deferring()).isEqualTo("0");
        refill().endLateDeferral();
        assertThat(deferring()).as("not yet").isEqualTo("0");
        test.sql("UPDATE partitions SET behind_since = now() - interval '6 minutes'"
                + " WHERE partition = 0");
        refill().endLateDeferral();
        assertThat(deferring()).isNull();
        assertThat(partitionsBehind()).isEqualTo("0");
    }

    private static String deferring() {
        return test.sql("SELECT string_agg(partition::text, ' ') FROM partitions WHERE defers");
    }

    /**
     * Redis lost the deductions of four orders that the ledger has, and sold their units again. The
     * ledger then lost three later orders, which were confirmed and which Redis has.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("D1: no new order takes a unit of a confirmed one that is not stored again yet")
    void bothStoresLost(boolean isPostponed) {
        test.sql("UPDATE partitions SET defers = true WHERE partition = 0");
        for (int i = 0; i < 4; i++) {
            test.order(sale, "kept" + i, "k", "apple:1", 0);
        }
        UUID ended = isPostponed ? test.order(sale, "ended", "k", "apple:3", 0) : null;
        if (ended != null) {
            redis.command("HSET", key("buyers"), "ended",
                    LINE.replace("apple:1", "apple:3").formatted("c", ended, 0));
        }
        List<UUID> confirmed = new ArrayList<>();
        long now = System.currentTimeMillis();
        for (int i = 0; i < 3; i++) {
            UUID order = UUID.randomUUID();
            confirmed.add(order);
            redis.command("HSET", key("buyers"), "lost" + i,
                    "a " + order + " k = apple:1 1 " + now + " 0 0\n");
        }
        for (int i = 0; i < 6; i++) {
            long seq = 20 + i;
            redis.command("XADD", PARTITION.key("orders"), "*", "purchase", sale + " "
                    + now + " 0 " + seq + " " + seq + " new" + i + " " + UUID.randomUUID()
                    + " k = apple:1 1");
        }
        try (TestWriter writer = new TestWriter(test, gate.commands, PARTITION)) {
            Refill refill = patientRefill();
            Await.until("it is refilled", SOON, () -> {
                refill.round();
                return partitionsBehind() == null;
            });
            Await.until("the new orders are decided", SOON,
                    () -> redis.number("XLEN", PARTITION.key("orders")) == 0
                            && test.sql("SELECT count(*) FROM retries").equals("0"),
                    () -> test.sql("SELECT string_agg(r::text, '; ') FROM retries r")
                            + redis.list("XRANGE", PARTITION.key("orders"), "-", "+"));
        }
        assertThat(confirmed).allSatisfy(order ->
                assertThat(test.find(sale, order).status()).isEqualTo(OrderStatus.CONFIRMED));
        assertThat(test.sold(sale)).isEqualTo("apple 9");
        assertThat(test.sql("SELECT count(*) FROM orders WHERE sale = '" + sale
                + "' AND user_id LIKE 'new%'")).isEqualTo("2");
    }

    /** Partition 1 is sound, and Redis has lost a deduction of its shard of the sale. */
    @Test
    @DisplayName("D1: no new order of another shard takes a unit of a confirmed one either")
    void otherShard() {
        test.sql("UPDATE partitions SET defers = true WHERE partition = 0");
        test.sql("UPDATE sales SET partitions = '{0,1}' WHERE sale = '" + sale + "'");
        long now = System.currentTimeMillis();
        UUID confirmed = UUID.randomUUID();
        redis.command("HSET", key("buyers"), "lost",
                "a " + confirmed + " k = apple:9 1 " + now + " 0 0\n");
        redis.command("XADD", OTHER.key("orders"), "*", "purchase", sale + " " + now
                + " 0 20 20 new " + UUID.randomUUID() + " k = apple:1 1");
        try (TestWriter second = new TestWriter(test, gate.commands, OTHER)) {
            second.awaitPolls();
            try (TestWriter first = new TestWriter(test, gate.commands, PARTITION)) {
                Refill refill = patientRefill();
                Await.until("it is refilled", SOON, () -> {
                    refill.round();
                    return partitionsBehind() == null;
                });
            }
            Await.until("the new order is decided", SOON,
                    () -> redis.number("XLEN", OTHER.key("orders")) == 0);
        }
        assertThat(test.find(sale, confirmed).status()).isEqualTo(OrderStatus.CONFIRMED);
        assertThat(test.sql("SELECT reason FROM rejected WHERE sale = '" + sale + "'"))
                .isEqualTo("the total is already sold");
    }

    @Test
    @DisplayName("New orders do not wait for long for a partition that no pod may refill")
    void refused() {
        test.sql("UPDATE partitions SET defers = true, behind_since = now() - interval '6 minutes'"
                + " WHERE partition = 0");
        Refill refill = refill(Set.of(0));
        refill.start(new StartupEvent());
        try {
            Await.until("deferring ends", SOON, () -> deferring() == null);
        } finally {
            refill.stop(new ShutdownEvent());
        }
        assertThat(partitionsBehind()).isEqualTo("0");
    }

    @Test
    @DisplayName("A locked partition does not make new orders of others wait")
    void locked() throws SQLException {
        test.sql("UPDATE partitions SET defers = true, behind_since = now() - interval '6 minutes'"
                + " WHERE partition IN (0, 1)");
        try (Connection writer = test.connect(); Statement statement = writer.createStatement()) {
            statement.execute("SELECT * FROM partitions WHERE partition = 0 FOR NO KEY UPDATE");
            refill().endLateDeferral();
            assertThat(deferring()).isEqualTo("0");
        }
    }

    /** Redis fails over while they are stored, and has lost them: only the records are left. */
    @Test
    @DisplayName("I6: requeued orders that Redis loses are requeued once more")
    void requeuedAgain() {
        test.sql("UPDATE partitions SET defers = true WHERE partition = 0");
        redis.command("HSET", key("buyers"), "u", LINE.formatted("a", UUID.randomUUID(), 0));
        AtomicBoolean isBroken = new AtomicBoolean(true);
        Refill refill = refill(new RefilledSteps(test.ledger, gate.commands) {
            @Override
            long ended(String of, int month, Partition partition) {
                if (isBroken.getAndSet(false)) {
                    throw new IllegalStateException("thrown by the test");
                }
                return super.ended(of, month, partition);
            }
        });
        String orders = PARTITION.key("orders");
        CompletableFuture<Void> lost = CompletableFuture.runAsync(() -> {
            try (Resp beside = Resp.connect(server.port())) {
                Await.until("it is requeued", SOON, () -> beside.number("XLEN", orders) == 1);
                beside.command("DEL", orders);
            }
        });
        refill.round();
        lost.join();
        assertThat(isBroken).isFalse();
        refill.round();
        assertThat(redis.number("XLEN", orders)).isEqualTo(1);
        assertThat(deferring()).isEqualTo("0");
    }

    /** Nobody stores what was requeued in partition 0, and many new orders wait in the other. */
    @Test
    @DisplayName("A partition whose writer is stuck does not make new orders of others wait")
    void stuck() {
        redis.command("HSET", key("buyers"), "u", LINE.formatted("a", UUID.randomUUID(), 0));
        for (int i = 0; i < MANY; i++) {
            redis.command("XADD", OTHER.key("orders"), "*", "purchase",
                    sale + " 1 0 20 " + (20 + i) + " u " + UUID.randomUUID() + " k = apple:1 1");
        }
        test.sql("UPDATE partitions SET defers = true, behind_since = now()"
                + " WHERE partition IN (0, 1)");
        refill().round();
        assertThat(deferring()).isEqualTo("0");
    }

    /** The other partition cannot be refilled. The entry of the order has failed, with a number. */
    @Test
    @DisplayName("I12: a refill goes on while its retries wait for another partition")
    void retriesWait() {
        test.sql("UPDATE sales SET partitions = '{0,1}' WHERE sale = '" + sale + "'");
        redis.command("HSET", key(OTHER, "buyers"), "u", "a nonsense\n");
        test.sql("UPDATE partitions SET behind_since = now(), defers = true WHERE partition = 1");
        UUID paid = UUID.randomUUID();
        fail("u", paid, 1);
        test.sql("UPDATE retries SET state = 'retrying', next_at = now()");
        pay(paid);
        Refill refill = refill();
        for (int i = 0; i < 3; i++) {
            refill.round();
            assertThat(partitionsBehind()).isEqualTo("0 1");
            test.sql("UPDATE retries SET tried_at = now()");
        }
        test.sql("UPDATE partitions SET defers = false WHERE partition = 1");
        refill.round();
        assertThat(partitionsBehind()).as("the order was not tried since").isEqualTo("0 1");
        test.sql("UPDATE retries SET tried_at = now()");
        refill.round();
        assertThat(partitionsBehind()).isEqualTo("1");
        test.sql("DELETE FROM retries");
    }
}
