package dev.rush.order;

import static dev.rush.testing.Answers.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A trigger refuses the audit row of a change: then the ledger has neither. Without the trigger the
 * same call makes the change and audits it.
 */
class RefusedAuditIT {
    private static final String WEBHOOK = "/v1/webhooks/warehouse";
    private static final String ERASED = "someone";
    private static LedgerScene scene;
    private static Pod pod;
    private static Api operator;

    /**
     * A change of the ledger.
     *
     * @param state a query whose result differs after the change
     */
    record Change(String action, String state, Supplier<Answer> call) {
        @Override
        public String toString() {
            return action;
        }
    }

    @BeforeAll
    static void start() {
        scene = new LedgerScene("refused-audit");
        pod = scene.pod("refused-audit");
        scene.awaitLedger(pod);
        operator = pod.api().asOperator();
        scene.sql("CREATE FUNCTION refuse_audit() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN RAISE EXCEPTION 'no audit'; END $$");
    }

    @AfterAll
    static void stop() {
        pod.close();
        scene.close();
    }

    static List<Change> changes() {
        TestSale sale = TestSale.unknown(scene.environment(), pod.api());
        sale.prepare("apple:10:0", "'paymentWindow':'PT1H'");
        List<Change> changes = new ArrayList<>(webhooks());
        changes.add(holdRelease(sale));
        changes.add(new Change("return.parked", "SELECT count(*) FROM returns",
                () -> operator.post(sale.path() + "/returns?user=711",
                        json("{'idempotencyKey':'k'}"))));
        String other = TestSale.fresh("sale");
        changes.add(new Change("sale.prepared",
                "SELECT count(*) FROM sales WHERE sale = '" + other + "'",
                () -> operator.put("/v1/sales/" + other, TestSale.definition("pear:9:1", ""))));
        String rain = TestSale.fresh("rain");
        changes.add(new Change("rain.prepared",
                "SELECT count(*) FROM rains WHERE rain = '" + rain + "'",
                () -> operator.put("/v1/rains/" + rain,
                        json("{'envelopes':{'amounts':[9,4,5]}}"))));
        changes.add(erasure());
        return changes;
    }

    /** In this order. */
    private static List<Change> webhooks() {
        return List.of(
                new Change("webhook.created", "SELECT count(*) FROM webhooks",
                        () -> putWebhook("dev.rush.order.*")),
                new Change("webhook.changed", "SELECT types::text FROM webhooks",
                        () -> putWebhook("dev.rush.*")),
                new Change("webhook.deleted", "SELECT count(*) FROM webhooks",
                        () -> operator.delete(WEBHOOK)));
    }

    private static Answer putWebhook(String types) {
        return operator.put(WEBHOOK, json("{'url':'https://rush.invalid/hook','types':['" + types
                + "'],'secret':'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'}"));
    }

    private static Change holdRelease(TestSale sale) {
        String order = sale.bought("711", "apple");
        scene.awaitOrders(sale.id(), "reserved", 1);
        String where = " WHERE order_id = '" + order + "'";
        scene.sql("UPDATE reservations SET held = true" + where);
        return new Change("order.hold-released", "SELECT held FROM reservations" + where,
                () -> operator.post(sale.path() + "/holds/release",
                        json("{'order':'" + order + "'}")));
    }

    /** Orders and grabs are erased before, in transactions of their own. */
    private static Change erasure() {
        scene.sql("INSERT INTO retries (partition, fingerprint, kind, subject, user_id, fields,"
                + " reason, tries, state) VALUES (0, 'f', 'purchase', 's', '" + ERASED
                + "', '{}', '', 1, 'replayed')");
        return new Change("user.erased", "SELECT user_id FROM retries",
                () -> operator.post("/v1/erasures", json("{'user':'" + ERASED + "'}")));
    }

    private static long audited(String action) {
        return scene.count("SELECT count(*) FROM audit WHERE action = '" + action + "'");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("changes")
    @DisplayName("A1: a change that cannot be audited is not made")
    void refused(Change change) {
        String before = scene.sql(change.state);
        long audited = audited(change.action);
        scene.sql("CREATE TRIGGER refused BEFORE INSERT ON audit FOR EACH ROW WHEN (NEW.action = '"
                + change.action + "') EXECUTE FUNCTION refuse_audit()");
        try {
            assertThat(change.call.get().status()).isGreaterThanOrEqualTo(500);
        } finally {
            scene.sql("DROP TRIGGER refused ON audit");
        }
        assertThat(scene.sql(change.state)).isEqualTo(before);
        assertThat(audited(change.action)).isEqualTo(audited);

        assertThat(change.call.get().status()).isLessThan(300);
        assertThat(scene.sql(change.state)).isNotEqualTo(before);
        assertThat(audited(change.action)).isEqualTo(audited + 1);
    }
}
