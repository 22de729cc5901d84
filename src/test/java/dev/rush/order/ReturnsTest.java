package dev.rush.order;

import static dev.rush.http.OutcomeCode.UNKNOWN_ORDER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.http.Caller;
import dev.rush.http.OutcomeCode;
import dev.rush.ledger.Actor;
import dev.rush.ledger.OrderStatus;
import dev.rush.order.Returns.Result;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Returns of orders that the ledger has, and of orders that it does not have yet. */
class ReturnsTest {
    private static final Caller USER = Caller.actingFor("u", false);
    private static final Caller OTHER = Caller.actingFor("v", false);
    private static final Caller ANYONE = Caller.actingFor("p", true);
    private static final Actor BUYER = new Actor("buyer:u");
    private static final String RETURNED =
            "1 returned buyer:u, 2 credited service:credits credited";
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

    private static Result byOrder(String sale, Caller caller, UUID order) {
        return test.returns.byOrder(sale, caller, new Actor(caller == USER ? "buyer:u"
                : "payer:p"), order.toString()).join();
    }

    private static Result byKey(String sale, String key) {
        return test.returns.byKey(sale, USER, BUYER, key).join();
    }

    private static OutcomeCode refusal(Result result) {
        return ((Result.Refused) result).problem().code();
    }

    private static ReturnView view(Result result) {
        return result instanceof Result.Returned returned ? returned.view()
                : ((Result.Parked) result).view();
    }

    @Test
    @DisplayName("I11: an order is returned once, and a repeated return gets the same answer")
    void once() {
        String sale = test.sale(1);
        UUID order = test.order(sale, "k", 0);
        ReturnView first = view(byOrder(sale, USER, order));
        assertThat(first.state()).isEqualTo("returned");
        assertThat(first.idempotencyKey()).isEqualTo("k");
        assertThat(test.steps(order)).isEqualTo(RETURNED);
        assertThat(test.journal.sold(sale)).isEqualTo("a 0");
        assertThat(view(byOrder(sale, USER, order))).isEqualTo(first);
        assertThat(view(byKey(sale, "k"))).isEqualTo(first);
        assertThat(test.steps(order)).isEqualTo(RETURNED);
        assertThat(test.calls(OrderScripts.REPORT)).as("every return is reported")
                .hasSize(3).containsOnly("2 202601 " + order + " 1 returned buyer:u");
        assertThat(test.returns.list(sale, "returned", 9).join()).containsExactly(first);
    }

    @Test
    @DisplayName("A return is refused if there is nothing to return or the order is another user's")
    void refused() {
        String sale = test.sale(1);
        UUID order = test.order(sale, "k", 0);
        assertThat(refusal(byOrder(sale, OTHER, order))).isEqualTo(UNKNOWN_ORDER);
        assertThat(refusal(byOrder(sale, USER, UUID.randomUUID()))).isEqualTo(UNKNOWN_ORDER);
        assertThat(refusal(byOrder("no-sale", USER, order))).isEqualTo(OutcomeCode.UNKNOWN_SALE);
        assertThat(refusal(byKey("no-sale", "k"))).isEqualTo(OutcomeCode.UNKNOWN_SALE);
        assertThat(refusal(test.returns.byOrder(sale, USER, BUYER, "x").join()))
                .isEqualTo(UNKNOWN_ORDER);
        assertThat(test.find(sale, order).status()).isEqualTo(OrderStatus.CONFIRMED);
        UUID late = test.order(sale, "l", 5);
        test.journal.sql("INSERT INTO steps (month, order_id, step, kind, epoch, partition, sale,"
                + " actor) VALUES (202601, '" + late + "', 1, 'expired', 1, 1, '" + sale
                + "', 'service:expiry')");
        assertThat(refusal(byOrder(sale, USER, late))).isEqualTo(OutcomeCode.ORDER_EXPIRED);
        UUID rejected = UUID.randomUUID();
        test.journal.sql("INSERT INTO rejected SELECT '" + rejected + "', month, block, 9,"
                + " placed_at_ms, 0, partition, sale, 'u', 'r', digest, lines, lefts, NULL,"
                + " 'sold-out'"
                + " FROM orders WHERE id = '" + order + "'");
        assertThat(refusal(byOrder(sale, USER, rejected))).isEqualTo(OutcomeCode.REJECTED);
        assertThat(view(byOrder(sale, ANYONE, order)).user()).isEqualTo("u");
        assertThat(test.steps(order)).startsWith("1 returned payer:p");
    }

    @Test
    @DisplayName("While the ledger may be behind, orders are returned and their units wait")
    void behind() {
        String sale = test.sale(1);
        UUID order = test.order(sale, "k", 0);
        test.journal.sql("UPDATE partitions SET behind_since = now() WHERE partition = 1");
        assertThat(view(byOrder(sale, USER, order)).state()).isEqualTo("returned");
        assertThat(test.steps(order)).isEqualTo("1 returned buyer:u");
        assertThat(test.isCredited(order)).isFalse();
        assertThat(test.count("credits WHERE order_id = '" + order + "'")).isEqualTo("1");
    }

    @Test
    @DisplayName("I11: a return that PostgreSQL may have lost is 504, and gives nothing back")
    void formerEpoch() {
        String sale = test.sale(1);
        UUID order = test.order(sale, "k", 0);
        test.kept = -1;
        assertThatThrownBy(() -> byOrder(sale, USER, order)).rootCause()
                .hasMessage(OutcomeCode.OUTCOME_UNKNOWN.text());
        assertThat(test.isCredited(order)).isFalse();
        test.kept = 1;
        assertThat(view(byOrder(sale, USER, order)).state()).isEqualTo("returned");
    }

    @Test
    @DisplayName("I6: units of a return that Redis has not recorded stay owed")
    void unrecorded() {
        String sale = test.sale(1);
        UUID order = test.order(sale, "k", 0);
        test.unrecorded = true;
        assertThat(view(byOrder(sale, USER, order)).state()).isEqualTo("returned");
        assertThat(test.isCredited(order)).isFalse();
        assertThat(test.count("credits WHERE order_id = '" + order + "'")).isEqualTo("1");
    }

    private static void tryAgain() {
        test.journal.sql("UPDATE returns SET tried_at = now() - interval '1 day'");
        test.parked.round();
    }

    private static String state(String sale) {
        return test.journal.sql("SELECT state || ' ' || reason FROM returns WHERE sale = '" + sale
                + "'");
    }

    @Test
    @DisplayName("I13: a return waits for the order under its key, and is its first caller's")
    void parked() {
        String sale = test.sale(1);
        assertThat(view(byKey(sale, "k")).state()).isEqualTo("parked");
        assertThat(test.calls(OrderScripts.TOMBSTONE)).containsExactly("u k");
        UUID order = test.order(sale, "k", 5);
        tryAgain();
        assertThat(test.steps(order)).isEqualTo(RETURNED);
        assertThat(test.count("returns")).isEqualTo("0");
        assertThat(test.calls(OrderScripts.REPORT)).hasSize(1);
    }

    @Test
    @DisplayName("I13: a return by key ends all parked returns of its order")
    void dropped() {
        String sale = test.sale(1);
        UUID order = test.order(sale, "k", 0);
        UUID keyless = test.order(sale, null, 0);
        test.journal.sql("INSERT INTO returns (id, sale, user_id, order_id, key, state, actor)"
                + " SELECT gen_random_uuid(), '" + sale + "', 'u', o, k, 'void', 'buyer:u' FROM"
                + " (VALUES (NULL::uuid, 'k'), ('" + order + "', NULL), (NULL, '" + keyless
                + "')) AS r (o, k)");
        assertThat(view(byKey(sale, "k")).state()).isEqualTo("returned");
        assertThat(test.count("returns")).isEqualTo("1");
        assertThat(view(byKey(sale, keyless.toString())).state()).isEqualTo("returned");
        assertThat(test.count("returns")).isEqualTo("0");
    }

    @Test
    @DisplayName("I13: parked returns of a sale that Redis cannot read delay no others")
    void heldUp() {
        String broken = test.sale(1);
        String sound = test.sale(2);
        while (TestLife.PARTITIONS.of(sound).equals(TestLife.PARTITIONS.of(broken))) {
            sound = test.sale(2);
        }
        for (String sale : List.of(broken, sound)) {
            test.journal.sql("INSERT INTO returns (id, sale, user_id, order_id, state, actor)"
                    + " SELECT gen_random_uuid(), '" + sale + "', 'u' || i, gen_random_uuid(),"
                    + " 'parked', 'buyer:u' FROM generate_series(1, 4) AS i");
        }
        test.failing.add(TestLife.PARTITIONS.of(broken).tag());
        assertThatThrownBy(ReturnsTest::tryAgain).isInstanceOf(CompletionException.class);
        assertThat(test.count("returns WHERE state = 'void' AND sale = '" + sound + "'"))
                .isEqualTo("4");
        assertThat(test.count("returns WHERE state = 'parked' AND sale = '" + broken + "'"))
                .isEqualTo("4");
    }

    @Test
    @DisplayName("I13: a return by key is void once it is certain that no order has the key")
    void voided() {
        String sale = test.sale(1);
        byKey(sale, "k");
        test.journal.sql("UPDATE partitions SET behind_since = now() WHERE partition = 1");
        tryAgain();
        assertThat(state(sale)).startsWith("parked No purchase under this key is known");
        test.journal.sql("UPDATE partitions SET behind_since = NULL");
        test.journal.sql("INSERT INTO retries (partition, fingerprint, kind, subject, user_id,"
                + " key, fields, reason, tries, state) VALUES (1, 'f', 'purchase', '" + sale
                + "', 'u', 'k', '{}', 'r', 1, 'retrying')");
        tryAgain();
        assertThat(state(sale)).isEqualTo("parked The order is a dead letter.");
        test.journal.sql("DELETE FROM retries");
        tryAgain();
        assertThat(state(sale)).isEqualTo("void No purchase ever had this key.");
        assertThat(view(byKey(sale, "k")).state()).isEqualTo("void");
        assertThat(test.returns.list(sale, "void", 9).join()).hasSize(1);
    }

    @Test
    @DisplayName("I13: a return waits for an order that no store knows while one is incomplete")
    void unknown() {
        String sale = test.sale(1);
        UUID order = UUID.randomUUID();
        test.journal.sql("INSERT INTO losses (partition, low, high, noticed_at_ms)"
                + " VALUES (1, 1, 2, 1)");
        assertThat(view(byOrder(sale, USER, order)).state()).isEqualTo("parked");
        assertThat(refusal(byOrder(sale, OTHER, order))).isEqualTo(UNKNOWN_ORDER);
        tryAgain();
        assertThat(state(sale)).startsWith("parked ");
        test.journal.sql("UPDATE losses SET lost = 0, restored_at = now()");
        test.journal.sql("UPDATE partitions SET behind_since = now() WHERE partition = 1");
        tryAgain();
        assertThat(state(sale)).startsWith("parked ");
        test.journal.sql("UPDATE partitions SET behind_since = NULL");
        tryAgain();
        assertThat(state(sale)).startsWith("void No store knows the order");
        test.journal.sql("DELETE FROM losses");
        assertThat(refusal(byOrder(sale, USER, UUID.randomUUID()))).isEqualTo(UNKNOWN_ORDER);
    }

    @Test
    @DisplayName("I13: a return of an order that has ended and that the ledger lost is void")
    void ended() {
        String sale = test.sale(1);
        UUID order = UUID.randomUUID();
        test.record = "c " + order + " k = a:1 4 5 0 1\n";
        test.words.put("k", "accepted " + order);
        String reason = "The order " + order + " has ended, and the ledger has lost it.";
        test.journal.sql("UPDATE partitions SET behind_since = now() WHERE partition = 1");
        assertThat(view(byKey(sale, "k")).state()).isEqualTo("parked");
        tryAgain();
        assertThat(state(sale)).isEqualTo("parked " + reason);
        test.journal.sql("UPDATE partitions SET behind_since = NULL");
        tryAgain();
        assertThat(state(sale)).isEqualTo("void " + reason);
        test.journal.sql("DELETE FROM returns");
        assertThat(view(byOrder(sale, USER, order)).state()).isEqualTo("parked");
        tryAgain();
        assertThat(state(sale)).isEqualTo("void " + reason);
    }

    @Test
    @DisplayName("I13: no other user's return waits for an order that could not be stored yet")
    void failed() {
        String sale = test.sale(1);
        UUID order = UUID.randomUUID();
        test.journal.sql("INSERT INTO retries (partition, fingerprint, kind, subject, order_id,"
                + " user_id, fields, reason, tries, state) VALUES (1, 'f', 'purchase', '" + sale
                + "', '" + order + "', 'u', '{}', 'r', 1, 'waiting')");
        assertThat(refusal(byOrder(sale, OTHER, order))).isEqualTo(UNKNOWN_ORDER);
        assertThat(view(byOrder(sale, ANYONE, order)).user()).isEqualTo("u");
        assertThat(state(sale)).isEqualTo("parked The order is a dead letter.");
        assertThat(test.journal.sql("SELECT actor || ' ' || anyone FROM returns"))
                .isEqualTo("payer:p true");
        test.journal.sql("DELETE FROM retries");
    }

    @Test
    @DisplayName("I13: a user parks at most twenty returns by unknown keys")
    void bounded() {
        String sale = test.sale(1);
        for (int i = 0; i < ReturnRows.UNSEEN_MAX; i++) {
            assertThat(byKey(sale, "k" + i)).isInstanceOf(Result.Parked.class);
        }
        assertThat(refusal(byKey(sale, "one more"))).isEqualTo(OutcomeCode.LIMIT_REACHED);
        assertThat(byKey(sale, "k0")).isInstanceOf(Result.Parked.class);
        assertThat(test.returns.byKey(sale, OTHER, new Actor("buyer:v"), "k").join())
                .isInstanceOf(Result.Parked.class);
        test.journal.sql("UPDATE sales SET state = 'retiring' WHERE sale = '" + sale + "'");
        assertThat(List.of(refusal(byKey(sale, "late")), refusal(byOrder(sale, USER,
                UUID.randomUUID())))).containsOnly(UNKNOWN_ORDER);
    }
}
