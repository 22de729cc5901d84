package dev.rush.reconciliation.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.order.ReportedStep;
import dev.rush.redis.Partition;
import dev.rush.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Refills of partitions while another pod works, a record is broken or PostgreSQL fails over. */
class RefillFaultsTest extends RepairScene {
    private static final Duration SOON = Duration.ofSeconds(30);

    @BeforeEach
    void begin() {
        fallBehind();
    }

    private static String reported() {
        return redis.list("LRANGE", PARTITION.key("reported"), "0", "-1").toString();
    }

    @Test
    @DisplayName("I16: a record that cannot be read holds up no other partition")
    void brokenRecord() {
        redis.command("HSET", key("buyers"), "u", "a nonsense\n");
        test.sql("UPDATE partitions SET behind_since = now() WHERE partition = 1");
        refill().round();
        assertThat(partitionsBehind()).isEqualTo("0");
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
            test.sql("UPDATE leader_leases SET holder = 'other',"
                    + " until = now() + interval '1 minute'"
                    + " WHERE task = 'refill'");
            test.sql("UPDATE partitions SET behind_since = NULL WHERE partition = 1");
            test.sql(reservation.formatted(1));
            slow.commit();
        }
        round.join();
        assertThat(test.sql("SELECT held FROM reservations WHERE partition = 1")).isEqualTo("f");
        assertThat(partitionsBehind()).as("left to the other pod").isEqualTo("0");
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
        assertThat(partitionsBehind()).isEqualTo("0");
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
        assertThat(partitionsBehind()).as("has added no steps since").isEqualTo("0");

        UUID stored = test.order(sale, "u1", "k", "apple:9", 5);
        test.sql("DELETE FROM retries WHERE user_id IS NULL AND fields ->> 'user' = 'u1'");
        redis.command("LPUSH", PARTITION.key("reported"),
                MONTH + " " + stored + " 1 returned buyer:u1");
        test.sql("UPDATE retries SET tried_at = now()");
        refill.round();
        assertThat(test.sql("SELECT kind FROM steps WHERE order_id = '" + stored + "'"))
                .isEqualTo("returned");
        assertThat(partitionsBehind()).as("the other order has not been retried since")
                .isEqualTo("0");
        test.sql("UPDATE retries SET tried_at = now()");
        refill.round();
        assertThat(partitionsBehind()).isNull();
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
        assertThat(partitionsBehind()).isEqualTo("1");
        assertThat(reported()).contains(paid.toString());

        test.sql("UPDATE partitions SET behind_since = NULL WHERE partition = 1");
        refill.round();
        assertThat(reported()).as("its order is in no store").isEqualTo("[]");
    }

    @Test
    @DisplayName("I16: the payment of an order that is a dead letter is not forgotten")
    void deadLetter() {
        UUID paid = UUID.randomUUID();
        fail("u", paid, 1);
        pay(paid);
        refill().round();
        assertThat(partitionsBehind()).isNull();
        assertThat(reported()).contains(paid.toString());
    }
}
