package dev.rush.reconciliation.repair;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Orders that were placed and also ended in what the ledger lost are stored as Redis has them. */
class LostEndsTest extends RepairScene {
    private static final String KEYED = "%s %s %s = %s 8 7 %d 0\n";

    private final Refill refill = refill();

    @BeforeEach
    void begin() {
        fallBehind();
    }

    private UUID only(String user, String... lines) {
        UUID order = UUID.randomUUID();
        redis.command("HSET", key("buyers"), user, String.join("", lines).formatted(order));
        return order;
    }

    private void report(String list, UUID order, int step, String kind, String rest) {
        redis.command("LPUSH", PARTITION.key(list),
                String.join(" ", Integer.toString(MONTH), order.toString(), Integer.toString(step),
                        kind, rest));
    }

    private static String line(String state, String key, long payBy) {
        return KEYED.formatted(state, "%s", key, "apple:1", payBy);
    }

    private static String steps(UUID order) {
        return test.sql("SELECT string_agg(concat_ws(' ', step, kind, actor, reference, amount,"
                + " currency), ', ' ORDER BY step) FROM steps WHERE order_id = '" + order + "'");
    }

    private String claims(String user) {
        return test.sql("SELECT string_agg(COALESCE(claim, '-'), ' ' ORDER BY id) FROM orders"
                + " WHERE sale = '" + sale + "' AND user_id = '" + user + "'");
    }

    @Test
    @DisplayName("I11, I12: an order that was placed and ended in what was lost is stored as ended")
    void stored() {
        UUID expired = only("u1", line("e", "k1", 9));
        UUID returned = only("u2", line("c", "", 0));
        refill.round();
        assertThat(partitionsBehind()).isNull();
        assertThat(steps(expired))
                .isEqualTo("1 expired service:refill, 2 credited service:refill");
        assertThat(steps(returned))
                .isEqualTo("1 returned service:refill, 2 credited service:refill");
        assertThat(test.find(sale, expired)).satisfies(order -> {
            assertThat(order.user()).isEqualTo("u1");
            assertThat(order.key()).isEqualTo("k1");
            assertThat(order.digest()).isEqualTo("=");
            assertThat(order.lines()).isEqualTo("apple:1");
            assertThat(order.lefts()).isEqualTo("8");
            assertThat(order.placedAt()).isEqualTo(7);
            assertThat(order.payBy()).isEqualTo(9);
            assertThat(order.partition()).isZero();
            assertThat(order.seq()).isZero();
        });
        assertThat(test.find(sale, returned).key()).isNull();
        assertThat(test.sql("SELECT after -> 'ended' FROM audit")).isEqualTo("2");
    }

    @Test
    @DisplayName("I16: it takes no units and is owed nothing, and its sums add up")
    void takesNothing() {
        test.order(sale, "u0", "k", "apple:9", 0);
        only("u1", line("e", "k", 9));
        only("u2", line("c", "k", 9));
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
        UUID order = only("u1", line("c", "k", 9));
        report("reported", order, 1, "confirmed", "payer:p pay-1 990 EUR");
        report("expired", order, 2, "returned", "buyer:u1");
        refill.round();
        assertThat(partitionsBehind()).isNull();
        assertThat(steps(order)).isEqualTo("1 confirmed payer:p pay-1 990 EUR,"
                + " 2 returned buyer:u1, 3 credited service:refill");
        assertThat(redis.number("LLEN", PARTITION.key("reported"))).as("evidence").isEqualTo(1);
    }

    @Test
    @DisplayName("An order that expired was not paid, whatever is reported")
    void expiredWasNotPaid() {
        UUID order = only("u1", line("e", "k", 9));
        report("reported", order, 1, "confirmed", "payer:p");
        refill.round();
        assertThat(steps(order)).isEqualTo("1 expired service:refill, 2 credited service:refill");
    }

    @Test
    @DisplayName("Several orders of one buyer are stored beside those that the ledger has")
    void severalOfABuyer() {
        String ended = UUID.randomUUID().toString();
        redis.command("HSET", key("buyers"), "u1", line("e", "a", 9).formatted(ended)
                + line("e", "b", 9).formatted(UUID.randomUUID())
                + line("e", "", 9).formatted(UUID.randomUUID()));
        test.order(sale, "u2", "", "apple:1", 0);
        test.sql("UPDATE orders SET claim = '' WHERE user_id = 'u2' AND sale = '" + sale + "'");
        only("u2", line("c", "c", 9));
        refill.round();
        assertThat(claims("u1").split(" ", -1)).as("one is the first").hasSize(3)
                .containsOnlyOnce("");
        assertThat(claims("u2").split(" ", -1)).containsExactlyInAnyOrder("", "c");
    }

    @Test
    @DisplayName("An order whose entry or retry is left is not stored twice")
    void waiting() {
        UUID retried = only("u1", line("e", "k", 9));
        fail("u1", retried, 1);
        UUID queued = only("u2", line("e", "k", 9));
        redis.command("XADD", PARTITION.key("orders"), "*", "purchase", sale + " 1 9 1 11 u2 "
                + queued + " k = apple:1 1");
        refill.round();
        assertThat(steps(retried)).isNull();
        assertThat(steps(queued)).isNull();
        redis.command("XTRIM", PARTITION.key("orders"), "MAXLEN", "0");
        test.sql("DELETE FROM retries");
    }

    @Test
    @DisplayName("An order of an item that the sale does not have is left in Redis")
    void unknownItem() {
        UUID order = only("u1", KEYED.formatted("e", "%s", "k", "pear:1", 9));
        UUID other = only("u2", line("e", "k", 9));
        refill.round();
        assertThat(partitionsBehind()).isNull();
        assertThat(steps(order)).isNull();
        assertThat(steps(other)).isNotNull();
        assertThat(test.sums(sale)).isEqualTo("apple 1 0 0 1 0 1");
    }

    @Test
    @DisplayName("Readers of the journal see the order, then its steps")
    void journal() {
        UUID order = only("u1", line("e", "k", 9));
        refill.round();
        assertThat(test.sql("SELECT concat_ws(' ', b.orders, b.places_before, b.partition,"
                + " b.subjects, b.xact = s.xact, b.epoch = s.epoch) FROM orders o JOIN blocks b"
                + " USING (month, block) JOIN steps s ON s.order_id = o.id AND s.step = 1"
                + " WHERE o.id = '" + order + "'")).isEqualTo("1 0 0 {" + sale + "} t t");
    }
}
