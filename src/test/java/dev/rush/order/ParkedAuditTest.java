package dev.rush.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.http.Caller;
import dev.rush.ledger.Actor;
import dev.rush.order.Returns.Result;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who parked a return for a buyer, and what became of it, without the buyer's name. */
class ParkedAuditTest {
    private static final Caller BUYER = Caller.actingFor("secret-name", false);
    private static final Caller ANYONE = Caller.actingFor("pia", true);
    private static final Actor OLGA = new Actor("operator:olga");
    private static final Actor PIA = new Actor("payer:pia");
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
        test.journal.sql("DELETE FROM audit");
        test.journal.sql("DELETE FROM retries");
        test.journal.sql("DELETE FROM losses");
    }

    private static void park(String sale, Actor actor) {
        assertThat(test.returns.byKey(sale, BUYER, actor, "secret-key").join())
                .isInstanceOf(Result.Parked.class);
    }

    private static void tryAgain() {
        test.journal.sql("UPDATE returns SET tried_at = now() - interval '1 day'");
        test.parked.round();
    }

    private static String audited() {
        return test.journal.sql("SELECT string_agg(concat_ws(' ', actor, action, subject, before,"
                + " after, cause), E'\\n' ORDER BY xact, place) FROM audit");
    }

    @Test
    @DisplayName("A1: a return that an operator parked is audited once, and its end once")
    void byKey() {
        String sale = test.sale(1);
        park(sale, OLGA);
        String parked = "operator:olga return.parked " + sale + " \"parked\"";
        assertThat(audited()).isEqualTo(parked);
        park(sale, OLGA);
        assertThat(audited()).isEqualTo(parked);
        tryAgain();
        String voided = parked + "\nservice:returns return.voided " + sale
                + " \"void\" No purchase ever had this key.";
        assertThat(audited()).isEqualTo(voided).doesNotContain("secret");
        park(sale, OLGA);
        tryAgain();
        assertThat(audited()).isEqualTo(voided);
    }

    @Test
    @DisplayName("A1: a return that waits too long is audited once, with its order and why it"
            + " waits")
    void alarmed() {
        String sale = test.sale(1);
        UUID order = UUID.randomUUID();
        test.journal.sql("INSERT INTO retries (partition, fingerprint, kind, subject, order_id,"
                + " user_id, fields, reason, tries, state) VALUES (1, 'f', 'purchase', '" + sale
                + "', '" + order + "', 'secret-name', '{}', 'r', 1, 'waiting')");
        for (int i = 0; i < 2; i++) {
            assertThat(test.returns.byOrder(sale, ANYONE, PIA, order.toString()).join())
                    .isInstanceOf(Result.Parked.class);
        }
        test.journal.sql("UPDATE returns SET created_at = now() - interval '1 year'");
        tryAgain();
        tryAgain();
        String subject = sale + "/" + order;
        assertThat(audited()).isEqualTo("payer:pia return.parked " + subject + " \"parked\"\n"
                + "service:returns return.alarmed " + subject
                + " \"parked\" \"alarmed\" The order is a dead letter.");
    }

    @Test
    @DisplayName("A1: a parked return of an order that no store knows is audited")
    void unknown() {
        String sale = test.sale(1);
        String order = UUID.randomUUID().toString();
        test.journal.sql("INSERT INTO losses (partition, low, high, noticed_at_ms)"
                + " VALUES (1, 1, 2, 1)");
        test.returns.byOrder(sale, ANYONE, PIA.because("too small"), order).join();
        assertThat(audited()).isEqualTo("payer:pia return.parked " + sale + "/" + order
                + " \"parked\" too small");
        assertThat(test.journal.sql("SELECT cause FROM returns")).isEqualTo("too small");
    }

    @Test
    @DisplayName("A1: an order that is returned later has the cause of its parked return")
    void cause() {
        String sale = test.sale(1);
        test.returns.byKey(sale, Caller.actingFor("u", false), OLGA.because("too small"), "k")
                .join();
        UUID order = test.order(sale, "k", 0);
        tryAgain();
        assertThat(test.steps(order)).startsWith("1 returned operator:olga too small");
    }

    @Test
    @DisplayName("A1: a buyer's own return is not audited, but what the service does to it is")
    void ofBuyer() {
        String sale = test.sale(1);
        park(sale, new Actor("buyer:secret-name"));
        assertThat(audited()).isNull();
        tryAgain();
        assertThat(audited()).isEqualTo("service:returns return.voided " + sale
                + " \"void\" No purchase ever had this key.");
    }
}
