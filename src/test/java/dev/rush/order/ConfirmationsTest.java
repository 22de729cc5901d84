package dev.rush.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.rush.http.Caller;
import dev.rush.http.OutcomeCode;
import dev.rush.ledger.Actor;
import dev.rush.ledger.Order;
import dev.rush.ledger.OrderStatus;
import dev.rush.ledger.Payment;
import dev.rush.order.Confirmations.Outcome;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Confirmations of paid orders, and the history that they leave. */
class ConfirmationsTest {
    private static final Actor PAYER = new Actor("payer:p");
    private static final Payment PAID = new Payment("pay-1", 990L, "EUR");
    private static final long FAR = Long.MAX_VALUE;
    private static TestLife test;

    @BeforeAll
    static void start() {
        test = new TestLife();
    }

    @AfterAll
    static void stop() throws Exception {
        test.close();
    }

    @BeforeEach
    void prepare() {
        test.clear();
    }

    private static Outcome confirm(String sale, UUID order, String user, Payment payment) {
        return test.confirmations.confirm(sale, order, user, PAYER, payment).join();
    }

    private static Order order(Outcome outcome) {
        return ((Outcome.Confirmed) outcome).order();
    }

    private static OutcomeCode refusal(Outcome outcome) {
        return ((Outcome.Refused) outcome).code();
    }

    @Test
    @DisplayName("I6: while the ledger may be behind, Redis is asked whether an order has ended")
    void behind() {
        String sale = test.sale(1);
        UUID order = test.order(sale, "k", FAR);
        test.journal.sql("UPDATE partitions SET behind_since = now() WHERE partition = 1");
        test.record = "e " + order + " k = a:1 4 5 9 1\n";
        assertThat(refusal(confirm(sale, order, "u", PAID))).isEqualTo(OutcomeCode.ORDER_EXPIRED);
        assertThat(test.steps(order)).isEqualTo("1 expired service:refill refilled from Redis");
        UUID returned = test.order(sale, "l", FAR);
        test.record = "c " + returned + " l = a:1 4 5 9 1\n";
        assertThat(refusal(confirm(sale, returned, "u", PAID)))
                .isEqualTo(OutcomeCode.ORDER_RETURNED);
        assertThat(test.steps(returned)).startsWith("1 returned service:refill");
        UUID reserved = test.order(sale, "m", FAR);
        test.record = "a " + reserved + " m = a:1 4 5 9 1\n";
        assertThat(order(confirm(sale, reserved, "u", PAID)).status())
                .isEqualTo(OrderStatus.CONFIRMED);
    }

    @Test
    @DisplayName("I12: a reserved order is confirmed once, and repeating is safe")
    void once() {
        String sale = test.sale(1);
        UUID order = test.order(sale, "k", FAR);
        Order first = order(confirm(sale, order, "u", PAID));
        assertThat(first.status()).isEqualTo(OrderStatus.CONFIRMED);
        assertThat(first.reference()).isEqualTo("pay-1");
        assertThat(test.calls(OrderScripts.REPORT))
                .containsExactly("2 202601 " + order + " 1 confirmed payer:p pay-1 990 EUR");
        assertThat(order(confirm(sale, order, null, PAID))).isEqualTo(first);
        assertThat(order(confirm(sale, order, null, Payment.NONE))).isEqualTo(first);
        assertThat(refusal(confirm(sale, order, null, new Payment("pay-2", null, null))))
                .isEqualTo(OutcomeCode.ORDER_CONFIRMED);
        assertThat(test.steps(order)).isEqualTo("1 confirmed payer:p");
    }

    @Test
    @DisplayName("I12: a repeated confirmation is recorded in Redis like the first one")
    void repeated() {
        String sale = test.sale(1);
        UUID order = test.order(sale, "k", FAR);
        test.failing.add(TestLife.PARTITIONS.all().get(1).tag());
        confirm(sale, order, "u", PAID);
        test.clear();
        confirm(sale, order, "u", PAID);
        assertThat(test.calls(OrderScripts.REPORT))
                .containsExactly("2 202601 " + order + " 1 confirmed payer:p pay-1 990 EUR");
        confirm(sale, order, "u", Payment.NONE);
        assertThat(test.calls(OrderScripts.REPORT)).last().asString()
                .isEqualTo("2 202601 " + order + " 1 confirmed payer:p pay-1  ");
        confirm(sale, test.order(sale, "plain", 0), "u", Payment.NONE);
        assertThat(test.calls(OrderScripts.REPORT)).as("it has no step").hasSize(2);
    }

    @Test
    @DisplayName("I12: only a reserved order of the caller is confirmed")
    void refused() {
        String sale = test.sale(1);
        UUID order = test.order(sale, "k", FAR);
        assertThat(refusal(confirm(sale, order, "v", PAID))).isEqualTo(OutcomeCode.UNKNOWN_ORDER);
        assertThat(confirm(sale, UUID.randomUUID(), null, PAID)).isNull();
        assertThat(confirm("no-sale", order, null, PAID)).isNull();
        assertThat(test.steps(order)).isNull();
        for (OutcomeCode code : List.of(OutcomeCode.ORDER_EXPIRED, OutcomeCode.ORDER_RETURNED)) {
            UUID ended = test.order(sale, code.text(), FAR);
            test.journal.sql("INSERT INTO steps (month, order_id, step, kind, epoch, partition,"
                    + " sale, actor) VALUES (202601, '" + ended + "', 1, '"
                    + code.text().replace("order-", "") + "', 1, 1, '" + sale
                    + "', 'service:test')");
            assertThat(refusal(confirm(sale, ended, null, PAID))).isEqualTo(code);
        }
    }

    @Test
    @DisplayName("An order is confirmed even if Redis does not record it")
    void withoutRedis() {
        String sale = test.sale(1);
        UUID order = test.order(sale, "k", FAR);
        test.failing.add(TestLife.PARTITIONS.all().get(1).tag());
        test.journal.sql("UPDATE partitions SET behind_since = now() WHERE partition = 1");
        assertThat(order(confirm(sale, order, "u", PAID)).status())
                .isEqualTo(OrderStatus.CONFIRMED);
    }

    @Test
    @DisplayName("I6: a confirmation that PostgreSQL may have lost is 504, and is safe to repeat")
    void formerEpoch() {
        String sale = test.sale(1);
        UUID order = test.order(sale, "k", FAR);
        test.kept = -1;
        assertUnknown(sale, order);
        test.kept = 1;
        assertThat(order(confirm(sale, order, "u", PAID)).status())
                .isEqualTo(OrderStatus.CONFIRMED);
        assertThat(test.steps(order)).isEqualTo("1 confirmed payer:p");
    }

    private static void assertUnknown(String sale, UUID order) {
        assertThatThrownBy(() -> confirm(sale, order, "u", PAID)).rootCause()
                .hasMessage(OutcomeCode.OUTCOME_UNKNOWN.text());
    }

    @Test
    @DisplayName("I6: with durability ledger a confirmation that Redis did not record is 504")
    void unrecorded() {
        String sale = test.sale(1);
        test.journal.sql("UPDATE sales SET definition = '{\"durability\": \"ledger\"}'"
                + " WHERE sale = '" + sale + "'");
        UUID order = test.order(sale, "k", FAR);
        test.failing.add(TestLife.PARTITIONS.all().get(1).tag());
        assertUnknown(sale, order);
        test.failing.clear();
        assertThat(order(confirm(sale, order, "u", PAID)).status())
                .isEqualTo(OrderStatus.CONFIRMED);
    }

    private static List<OrderHistory.Entry> history(String sale, UUID order) {
        OrderHistory.OrderWithHistory found = test.statuses.history(sale, order).join();
        return found == null ? null : found.history();
    }

    @Test
    @DisplayName("An order's history has every step with actor and cause")
    void history() {
        String sale = test.sale(1);
        UUID order = test.order(sale, "k", FAR);
        confirm(sale, order, "u", PAID);
        test.returns.byOrder(sale, Caller.actingFor("u", false),
                new Actor("buyer:u"), order.toString()).join();
        List<OrderHistory.Entry> all = history(sale, order);
        assertThat(all).extracting(OrderHistory.Entry::kind).containsExactly("accepted",
                "reserved", "confirmed", "returned", "credited");
        assertThat(all).extracting(OrderHistory.Entry::actor).containsExactly("buyer:u",
                "service:writer", "payer:p", "buyer:u", "service:credits");
        assertThat(all).allMatch(entry -> entry.at() != null);
        assertThat(all.get(2).paymentReference()).isEqualTo("pay-1");
        assertThat(all.get(4).cause()).isEqualTo("credited");
        Caller buyer = Caller.actingFor("u", false);
        assertThat(OrderHistory.shownTo(buyer, "u", all)).extracting(OrderHistory.Entry::actor)
                .containsExactly("buyer:u", "service", "payer", "buyer:u", "service");
        Caller payer = new Caller("p", false, true, false);
        assertThat(OrderHistory.shownTo(payer, "u", all)).extracting(OrderHistory.Entry::actor)
                .containsExactly("buyer:u", "service", "payer:p", "buyer:u", "service");
        Caller otherPayer = new Caller("q", false, true, false);
        assertThat(OrderHistory.shownTo(otherPayer, "u", all).get(2))
                .isEqualTo(new OrderHistory.Entry(all.get(2).at(), "confirmed", "payer", null,
                        "pay-1"));
        assertThat(OrderHistory.shownTo(new Caller("ops", true, false, false), "u", all))
                .isEqualTo(all);
        assertThat(OrderHistory.shownTo(new Caller("ada", false, false, true), "u", all))
                .isEqualTo(all);
        assertThat(OrderHistory.shownTo(Caller.actingFor("v", false), "v", all).get(0).actor())
                .as("another user's name").isEqualTo("buyer");
        UUID plain = test.order(sale, null, 0);
        assertThat(history(sale, plain)).extracting(OrderHistory.Entry::kind)
                .containsExactly("accepted", "confirmed");
        assertThat(history(sale, UUID.randomUUID())).isNull();
    }

    @Test
    @DisplayName("I1: the history of a rejected order names the guard")
    void rejected() {
        String sale = test.sale(1);
        UUID order = test.order(sale, "k", 0);
        UUID rejected = UUID.randomUUID();
        test.journal.sql("INSERT INTO rejected SELECT '" + rejected + "', month, block, 9,"
                + " placed_at_ms, 0, partition, sale, 'u', 'r', digest, lines, lefts, NULL,"
                + " 'sold-out'"
                + " FROM orders WHERE id = '" + order + "'");
        test.journal.sql("INSERT INTO steps (month, order_id, step, kind, epoch, partition,"
                + " sale, actor, cause) VALUES (202601, '" + rejected + "', 0, 'rejected', 1, 1, '"
                + sale + "', 'service:guard', 'sold-out')");
        assertThat(history(sale, rejected)).extracting(OrderHistory.Entry::kind,
                OrderHistory.Entry::cause).containsExactly(
                tuple("accepted", null),
                tuple("rejected", "sold-out"));
        assertThat(refusal(confirm(sale, rejected, null, PAID))).isEqualTo(OutcomeCode.REJECTED);
        assertThat(test.statuses.owner(sale, rejected).join()).isEqualTo("u");
        assertThat(test.statuses.byKey(sale, "u", "r").join().id()).isEqualTo(rejected);
        assertThat(test.statuses.of(sale, "u", 9).join()).hasSize(2);
    }
}
