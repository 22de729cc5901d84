package dev.rush.reconciliation.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.OrderStatus;
import dev.rush.ledger.writer.TestWriter;
import dev.rush.order.ReportedStep;
import dev.rush.redis.Partition;
import dev.rush.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Refills of partitions while another pod works, a record is broken or PostgreSQL fails over. */
class RefillFaultsTest extends RepairScene {
    private static final String LINE = "%s %s k = apple:1 1 1 %d 0\n";
    private static final Duration SOON = Duration.ofSeconds(30);

    @BeforeEach
    void fallBehind() {
        test.check();
        test.sql("UPDATE partitions SET seq = 10, behind_since = NULL");
        test.sql("UPDATE partitions SET behind_since = now() WHERE partition = 0");
        List.of("audit", "duties", "retries", "reservations")
                .forEach(table -> test.sql("DELETE FROM " + table));
        test.sql("UPDATE sales SET state = 'retired' WHERE sale <> '" + sale + "'");
        redis.command("HSET", PARTITION.key("ledger"), "seq", "10", "epoch", "1");
    }

    private static String behind() {
        return test.sql("SELECT string_agg(partition::text, ' ' ORDER BY partition)"
                + " FROM partitions WHERE behind_since IS NOT NULL");
    }

    private static String reported() {
        return redis.list("LRANGE", PARTITION.key("reported"), "0", "-1").toString();
    }

    private static void pay(UUID order) {
        redis.command("LPUSH", PARTITION.key("reported"),
                MONTH + " " + order + " 1 confirmed payer:p");
    }

    @Test
    @DisplayName("I16: a record that cannot be read holds up no other partition")
    void brokenRecord() {
        redis.command("HSET", key("buyers"), "u", "a nonsense\n");
        test.sql("UPDATE partitions SET behind_since = now() WHERE partition = 1");
        refill().round();
        assertThat(behind()).isEqualTo("0");
    }

    @Test
    @DisplayName("I16: a pod that lost the lease puts no reservations of refilled ones on hold")
    void lostLease() throws SQLException {
        test.sql("UPDATE partitions SET behind_since = now() WHERE partition = 1");
        String reservation = "INSERT INTO reservations SELECT %d, 5, gen_random_uuid(), " + MONTH
                + ", 's', 'u', 'apple:1'";
        test.sql(reservation.formatted(0));
        CompletableFuture<Void> round;
        try (Connection slow = test.connect(); Statement statement = slow.createStatement()) {
            statement.execute("SELECT * FROM reservations WHERE partition = 0 FOR UPDATE");
            round = CompletableFuture.runAsync(refill()::round);
            Await.until("the pod waits", SOON, () -> !test.sql("SELECT count(*)"
                    + " FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND wait_event_type = 'Lock'").equals("0"));
            test.sql("UPDATE duties SET holder = 'other', until = now() + interval '1 minute'"
                    + " WHERE duty = 'refill'");
            test.sql("UPDATE partitions SET behind_since = NULL WHERE partition = 1");
            test.sql(reservation.formatted(1));
            slow.commit();
        }
        round.join();
        assertThat(test.sql("SELECT held FROM reservations WHERE partition = 1")).isEqualTo("f");
        assertThat(behind()).as("left to the other pod").isEqualTo("0");
    }

    @Test
    @DisplayName("I16: a refill does not end if PostgreSQL failed over while it ran")
    void failoverBeforeTheEnd() {
        UUID paid = known();
        RefilledSteps steps = new RefilledSteps(test.ledger, gate.commands) {
            @Override
            long ended(String of, int month, Partition partition) {
                failOver(paid);
                return super.ended(of, month, partition);
            }
        };
        refill(steps).round();
        assertThat(behind()).isEqualTo("0");
        assertThat(reported()).contains(paid.toString());
    }

    @Test
    @DisplayName("I16: steps that PostgreSQL loses after the end of a refill are not forgotten")
    void failoverAfterTheEnd() {
        UUID paid = known();
        RefilledSteps steps = new RefilledSteps(test.ledger, gate.commands) {
            @Override
            void forget(Partition partition, List<ReportedStep> lost) {
                failOver(paid);
                super.forget(partition, lost);
            }
        };
        refill(steps).round();
        assertThat(reported()).contains(paid.toString());
    }

    /** Another PostgreSQL process lacks the steps of an order. */
    private static void failOver(UUID order) {
        test.sql("DELETE FROM steps WHERE order_id = '" + order + "'");
        test.sql("UPDATE ledger SET server = 0");
    }

    @Test
    @DisplayName("I12: a refill goes on while a step that it added may make room for an order")
    void makesRoom() {
        for (String user : List.of("u1", "u2")) {
            fail(user, UUID.randomUUID(), 9);
        }
        test.sql("UPDATE retries SET state = 'retrying', next_at = now()");
        Refill refill = refill();
        refill.round();
        assertThat(behind()).as("has added no steps since").isEqualTo("0");

        UUID stored = test.order(sale, "u1", "k", "apple:9", 5);
        test.sql("DELETE FROM retries WHERE user_id IS NULL AND fields ->> 'user' = 'u1'");
        redis.command("LPUSH", PARTITION.key("reported"),
                MONTH + " " + stored + " 1 returned buyer:u1");
        test.sql("UPDATE retries SET tried_at = now()");
        refill.round();
        assertThat(test.sql("SELECT kind FROM steps WHERE order_id = '" + stored + "'"))
                .isEqualTo("returned");
        assertThat(behind()).as("the other order has not been retried since").isEqualTo("0");
        test.sql("UPDATE retries SET tried_at = now()");
        refill.round();
        assertThat(behind()).isNull();
        test.sql("DELETE FROM retries");
    }

    /** A paid order that the ledger has as reserved. */
    private UUID known() {
        UUID paid = test.order(sale, "u", "k", "apple:1", 5);
        redis.command("HSET", key("buyers"), "u", LINE.formatted("a", paid, 5));
        pay(paid);
        return paid;
    }

    /** It may be that of a sale whose definition only that partition has. */
    @Test
    @DisplayName("I16: a payment is not forgotten while another partition was not read")
    void otherIsUnread() {
        test.sql("UPDATE partitions SET behind_since = 'infinity' WHERE partition = 1");
        UUID paid = UUID.randomUUID();
        pay(paid);
        Refill refill = refill();
        refill.round();
        assertThat(behind()).isEqualTo("1");
        assertThat(reported()).contains(paid.toString());

        test.sql("UPDATE partitions SET behind_since = NULL WHERE partition = 1");
        refill.round();
        assertThat(reported()).as("its order is in no store").isEqualTo("[]");
    }

    @Test
    @DisplayName("New orders do not wait for ever for a partition that cannot be refilled")
    void deferringEnds() {
        redis.command("HSET", key("buyers"), "u", "a nonsense\n");
        test.sql("UPDATE partitions SET defers = true WHERE partition = 0");
        refill().round();
        assertThat(deferring()).isEqualTo("0");
        test.sql("UPDATE partitions SET behind_since = now() - interval '6 minutes'"
                + " WHERE partition = 0");
        refill().round();
        assertThat(deferring()).isNull();
        assertThat(behind()).isEqualTo("0");
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
                return behind() == null;
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
        Partition other = PARTITIONS.all().get(1);
        redis.command("XADD", other.key("orders"), "*", "purchase", sale + " " + now
                + " 0 20 20 new " + UUID.randomUUID() + " k = apple:1 1");
        try (TestWriter second = new TestWriter(test, gate.commands, other)) {
            second.awaitPolls();
            try (TestWriter first = new TestWriter(test, gate.commands, PARTITION)) {
                Refill refill = patientRefill();
                Await.until("it is refilled", SOON, () -> {
                    refill.round();
                    return behind() == null;
                });
            }
            Await.until("the new order is decided", SOON,
                    () -> redis.number("XLEN", other.key("orders")) == 0);
        }
        assertThat(test.find(sale, confirmed).status()).isEqualTo(OrderStatus.CONFIRMED);
        assertThat(test.sql("SELECT reason FROM rejected WHERE sale = '" + sale + "'"))
                .isEqualTo("total is sold");
    }

    @Test
    @DisplayName("I16: the payment of an order that is a dead letter is not forgotten")
    void deadLetter() {
        UUID paid = UUID.randomUUID();
        fail("u", paid, 1);
        pay(paid);
        refill().round();
        assertThat(behind()).isNull();
        assertThat(reported()).contains(paid.toString());
    }
}
