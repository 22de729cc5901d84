package dev.rush.reconciliation.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.OrderStatus;
import dev.rush.redis.Partition;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Orders that were placed and had also ended in what the ledger lost are stored again. */
class LostEndsTest extends RepairScene {
    private static final int WINDOW = 60_000;

    private final long placedAt = System.currentTimeMillis();
    private final Refill refill = refill();

    @BeforeEach
    void begin() {
        fallBehind();
        test.sql("UPDATE sales SET payment_window_ms = " + WINDOW + " WHERE sale = '" + sale
                + "'");
    }

    private String line(String state, Object order, String key, String lines) {
        return String.join(" ", state, order.toString(), key, "=", lines, "8",
                Long.toString(placedAt), Long.toString(placedAt + WINDOW), "0\n");
    }

    /** An order of an apple that only Redis has. */
    private UUID only(String user, String state, String key) {
        UUID order = UUID.randomUUID();
        redis.command("HSET", key("buyers"), user, line(state, order, key, "apple:1"));
        return order;
    }

    private static void report(String list, UUID order, int step, String kind, String rest) {
        redis.command("LPUSH", PARTITION.key(list), String.join(" ", Integer.toString(MONTH),
                order.toString(), Integer.toString(step), kind, rest));
    }

    private static String steps(UUID order) {
        return test.sql("SELECT string_agg(concat_ws(' ', step, kind, actor, reference, amount,"
                + " currency), ', ' ORDER BY step) FROM steps WHERE order_id = '" + order + "'");
    }

    @Test
    @DisplayName("I11, I12: an order that was placed and ended in what was lost is stored as ended")
    void stored() {
        UUID expired = only("u1", "e", "k1");
        UUID returned = only("u2", "c", "");
        refill.round();
        assertThat(partitionsBehind()).isNull();
        assertThat(steps(expired))
                .isEqualTo("1 expired service:refill, 2 credited service:refill");
        assertThat(steps(returned))
                .isEqualTo("1 returned service:refill, 2 credited service:refill");
        assertThat(test.find(sale, expired)).satisfies(order -> {
            assertThat(order.status()).isEqualTo(OrderStatus.EXPIRED);
            assertThat(order.user()).isEqualTo("u1");
            assertThat(order.key()).isEqualTo("k1");
            assertThat(order.lines()).isEqualTo("apple:1");
            assertThat(order.lefts()).isEqualTo("8");
            assertThat(order.placedAt()).isEqualTo(placedAt);
            assertThat(order.payBy()).isEqualTo(placedAt + WINDOW);
        });
        assertThat(test.find(sale, returned).key()).isNull();
        assertThat(test.sql("SELECT after -> 'orders' FROM audit")).isEqualTo("2");
    }

    @Test
    @DisplayName("I16: it takes no units and is owed nothing, and its sums add up")
    void takesNothing() {
        test.order(sale, "u0", "k", "apple:9", 0);
        only("u1", "e", "k");
        only("u2", "c", "k");
        refill.round();
        assertThat(partitionsBehind()).isNull();
        assertThat(test.sold(sale)).isEqualTo("apple 9");
        assertThat(test.sums(sale)).isEqualTo(test.recount(sale))
                .isEqualTo("apple 11 0 9 1 1 2");
        assertThat(test.sql("SELECT (SELECT count(*) FROM credits WHERE sale = '" + sale + "')"
                + " + (SELECT count(*) FROM reservations WHERE sale = '" + sale + "')"))
                .isEqualTo("0");
    }

    @Test
    @DisplayName("I12: the payment that was reported to clients is kept, with its actor")
    void paid() {
        UUID order = only("u1", "c", "k");
        report("reported", order, 1, "confirmed", "payer:p pay-1 990 EUR");
        report("expired", order, 2, "returned", "buyer:u1");
        refill.round();
        assertThat(partitionsBehind()).isNull();
        assertThat(steps(order)).isEqualTo("1 confirmed payer:p pay-1 990 EUR,"
                + " 2 returned buyer:u1, 3 credited service:refill");
        assertThat(redis.number("LLEN", PARTITION.key("reported"))).as("evidence").isEqualTo(1);
    }

    @Test
    @DisplayName("I12: a return as the second step proves that the order was paid")
    void provenPayment() {
        UUID order = only("u1", "c", "k");
        report("expired", order, 2, "returned", "buyer:u1");
        refill.round();
        assertThat(steps(order)).isEqualTo("1 confirmed service:refill, 2 returned buyer:u1,"
                + " 3 credited service:refill");
    }

    @Test
    @DisplayName("An order that expired was not paid, whatever is reported")
    void expiredWasNotPaid() {
        UUID order = only("u1", "e", "k");
        report("reported", order, 1, "confirmed", "payer:p");
        refill.round();
        assertThat(steps(order)).isEqualTo("1 expired service:refill, 2 credited service:refill");
    }

    @Test
    @DisplayName("An order whose entry or retry is left is not stored twice")
    void waiting() {
        UUID retried = only("u1", "e", "k");
        fail("u1", retried, 1);
        refill.round();
        assertThat(partitionsBehind()).isNull();
        assertThat(steps(retried)).isNull();
        test.sql("DELETE FROM retries");
    }

    @Test
    @DisplayName("I16: records that name an order or a key twice are counted once")
    void twice() {
        UUID order = UUID.randomUUID();
        redis.command("HSET", key("buyers"), "u1", line("e", order, "a", "apple:1")
                + line("e", order, "b", "apple:1") + line("c", UUID.randomUUID(), "a", "apple:1"));
        refill.round();
        assertThat(partitionsBehind()).isNull();
        assertThat(test.sums(sale)).isEqualTo(test.recount(sale)).isEqualTo("apple 1 0 0 1 0 1");
    }

    @Test
    @DisplayName("A forged record is left in Redis, and does not hold up the refill")
    void forged() {
        String[] lines = {"pear:1", "apple", "apple:0", "apple:-1", "apple:9999999999999999999",
            "apple:1000001"};
        for (int i = 0; i < lines.length; i++) {
            redis.command("HSET", key("buyers"), "f" + i,
                    line("e", UUID.randomUUID(), "k", lines[i]));
        }
        redis.command("HSET", key("buyers"), "long",
                line("e", UUID.randomUUID(), "k".repeat(9_000), "apple:1"));
        UUID sound = only("u1", "e", "k");
        refill.round();
        assertThat(partitionsBehind()).isNull();
        assertThat(steps(sound)).isNotNull();
        assertThat(test.sums(sale)).isEqualTo(test.recount(sale)).isEqualTo("apple 1 0 0 1 0 1");
    }

    @Test
    @DisplayName("I16: nothing is stored in a PostgreSQL that took over during the refill")
    void failedOver() {
        UUID order = only("u1", "e", "k");
        refill(new RefilledSteps(test.ledger, gate.commands) {
            @Override
            long ended(String of, int month, Partition partition) {
                test.sql("UPDATE ledger SET server = 0");
                return super.ended(of, month, partition);
            }
        }).round();
        assertThat(partitionsBehind()).isEqualTo("0");
        assertThat(test.find(sale, order)).isNull();
    }

    @Test
    @DisplayName("Readers of the journal see the order, then its steps")
    void journal() {
        UUID order = only("u1", "e", "k");
        refill.round();
        assertThat(test.sql("SELECT concat_ws(' ', b.orders, b.places_before, b.partition,"
                + " b.subjects, b.xact = s.xact, b.epoch = s.epoch) FROM orders o JOIN blocks b"
                + " USING (month, block) JOIN steps s ON s.order_id = o.id AND s.step = 1"
                + " WHERE o.id = '" + order + "'")).isEqualTo("1 0 0 {" + sale + "} t t");
    }
}
