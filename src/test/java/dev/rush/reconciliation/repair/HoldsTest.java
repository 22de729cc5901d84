package dev.rush.reconciliation.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.http.OutcomeCode;
import dev.rush.http.ProblemException;
import dev.rush.ledger.Actor;
import dev.rush.reconciliation.repair.Holds.Hold;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reservations on hold are listed and released, and the audit says by whom. */
class HoldsTest extends RepairScene {
    private static final Actor ANN = new Actor("operator:ann");
    private static final HoldRequest ALL = HoldRequest.ALL;

    private final Holds holds = new Holds(test.ledger, report.offers);
    private UUID first;
    private UUID second;

    @BeforeEach
    void hold() {
        test.sql("DELETE FROM audit");
        first = test.order(sale, "u1", null, "apple:1", 1_000);
        second = test.order(sale, "u2", null, "apple:1", 2_000);
        test.sql("UPDATE reservations SET held = true");
    }

    private static String audited() {
        return test.sql("SELECT string_agg(concat_ws(' ', actor, action, subject, after, cause),"
                + " ', ' ORDER BY xact, place) FROM audit");
    }

    private static OutcomeCode refused(Runnable work) {
        OutcomeCode[] word = new OutcomeCode[1];
        assertThatThrownBy(work::run).isInstanceOfSatisfying(ProblemException.class,
                e -> word[0] = e.problem().code());
        return word[0];
    }

    @Test
    @DisplayName("I12: reservations on hold are listed, and released one by one or all at once")
    void released() {
        assertThat(holds.of(sale).held()).isEqualTo(2);
        assertThat(holds.of(sale).holds()).containsExactly(
                new Hold(first.toString(), "u1", "1970-01-01T00:00:01Z"),
                new Hold(second.toString(), "u2", "1970-01-01T00:00:02Z"));
        assertThat(holds.release(sale, new HoldRequest(second.toString(), "never paid"), ANN))
                .isEqualTo(new Holds.Released(sale, 1, 1));
        assertThat(holds.release(sale, new HoldRequest(second.toString(), null), ANN))
                .isEqualTo(new Holds.Released(sale, 0, 1));
        assertThat(holds.release(sale, ALL, ANN)).isEqualTo(new Holds.Released(sale, 1, 0));
        assertThat(holds.release(sale, ALL, ANN)).isEqualTo(new Holds.Released(sale, 0, 0));
        assertThat(audited()).isEqualTo("operator:ann order.hold-released " + sale + "/" + second
                + " {\"released\": 1} never paid, operator:ann sale.holds-released " + sale
                + " {\"released\": 1}");
    }

    @Test
    @DisplayName("I12: nothing is released while the ledger may lack commits")
    void behind() {
        test.sql("UPDATE partitions SET behind_since = now() WHERE partition = 0");
        assertThat(refused(() -> holds.release(sale, ALL, ANN))).isEqualTo(OutcomeCode.UNAVAILABLE);
        test.sql("UPDATE partitions SET behind_since = NULL");
        test.sql("UPDATE ledger SET server = 0");
        assertThat(refused(() -> holds.release(sale, ALL, ANN))).isEqualTo(OutcomeCode.UNAVAILABLE);
        test.check();
        assertThat(holds.release(sale, ALL, ANN).released()).isEqualTo(2);
    }

    @Test
    @DisplayName("I12: holds are released in parts, each with its entry in the audit")
    void releasedInParts() {
        hold(3);
        assertThat(inParts(Duration.ofMinutes(1)).release(sale, ALL, ANN))
                .isEqualTo(new Holds.Released(sale, 5, 0));
        String part = "operator:ann sale.holds-released " + sale + " {\"released\": %d}";
        assertThat(audited()).isEqualTo(String.join(", ",
                part.formatted(2), part.formatted(2), part.formatted(1)));
    }

    @Test
    @DisplayName("I12: a release that takes too long answers how many are on hold still")
    void releasedInTime() {
        hold(3);
        assertThat(inParts(Duration.ZERO).release(sale, ALL, ANN))
                .isEqualTo(new Holds.Released(sale, 2, 3));
    }

    @Test
    @DisplayName("I12: a release that is interrupted after its first part has an unknown outcome")
    void releaseInterrupted() {
        hold(3);
        onUpdate("AFTER UPDATE ON reservations", "UPDATE partitions SET behind_since = now()", () ->
                assertThat(refused(() -> inParts(Duration.ofMinutes(1)).release(sale, ALL, ANN)))
                        .isEqualTo(OutcomeCode.OUTCOME_UNKNOWN));
        assertThat(test.sql("SELECT count(*) FROM reservations WHERE held AND sale = '"
                + sale + "'")).isEqualTo("3");
    }

    @Test
    @DisplayName("I12: a release goes on although something else takes one of a part's holds")
    void releasedBesidePayments() {
        hold(3);
        onUpdate("BEFORE UPDATE ON reservations FOR EACH ROW WHEN (OLD.pay_by_ms = 1000)", "", () ->
                assertThat(inParts(Duration.ofMinutes(1)).release(sale, ALL, ANN))
                        .isEqualTo(new Holds.Released(sale, 4, 1)));
    }

    /** Runs a test with a trigger that returns no row, so that its update is skipped. */
    private static void onUpdate(String event, String statement, Runnable work) {
        test.sql("CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                + (statement.isEmpty() ? "" : statement + ";") + " RETURN NULL; END $$");
        test.sql("CREATE TRIGGER skip " + event + " EXECUTE FUNCTION skip()");
        try {
            work.run();
        } finally {
            test.sql("DROP FUNCTION skip CASCADE");
        }
    }

    private Holds inParts(Duration limit) {
        return new Holds(test.ledger, report.offers, 2, limit);
    }

    private void hold(int more) {
        for (int i = 0; i < more; i++) {
            test.order(sale, "u3", null, "apple:1", 3_000);
        }
        test.sql("UPDATE reservations SET held = true");
    }

    @Test
    @DisplayName("An unknown sale has no holds, and an order of another sale is unknown")
    void unknown() {
        String other = test.sale("apple:9:0");
        UUID elsewhere = test.order(other, "u3", null, "apple:1", 3_000);
        assertThat(holds.of("none")).isNull();
        assertThat(holds.release("none", ALL, ANN)).isNull();
        for (UUID order : new UUID[] {elsewhere, UUID.randomUUID()}) {
            assertThat(refused(() -> holds.release(
                    sale, new HoldRequest(order.toString(), null), ANN)))
                    .isEqualTo(OutcomeCode.UNKNOWN_ORDER);
        }
        assertThat(audited()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1-1-1-1-1", "x", "00000000-0000-0000-0000-00000000000"})
    @DisplayName("A malformed order id is refused")
    void malformed(String order) {
        assertThat(refused(() -> new HoldRequest(order, null).check()))
                .isEqualTo(OutcomeCode.INVALID_REQUEST);
        assertThat(refused(() -> new HoldRequest(null, "\u0007").check()))
                .isEqualTo(OutcomeCode.INVALID_REQUEST);
        assertThat(refused(() -> new HoldRequest(null, "c".repeat(201)).check()))
                .isEqualTo(OutcomeCode.INVALID_REQUEST);
        new HoldRequest(UUID.randomUUID().toString(), "c".repeat(200)).check();
    }
}
