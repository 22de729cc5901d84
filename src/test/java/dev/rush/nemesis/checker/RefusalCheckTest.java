package dev.rush.nemesis.checker;

import static dev.rush.nemesis.checker.SampleRun.RAIN;
import static dev.rush.nemesis.checker.SampleRun.SALE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Offer.Cart;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import dev.rush.nemesis.fault.Fault.Effect;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The checker finds refusals for which stock, limits, envelopes and keys give no reason. */
class RefusalCheckTest {
    private final SampleRun run = new SampleRun();

    @ParameterizedTest
    @ValueSource(strings = {"sold-out", "insufficient-stock", "limit-reached",
        "duplicate-submission"})
    void findsARefusalWithoutAReason(String word) {
        run.bought(1, "a");
        run.refused(2, word);

        assertThat(run.findings().rules()).containsExactly(
                "refusals: " + word + " was impossible");
    }

    @Test
    void refusalsWithAReasonAreNoViolations() {
        for (int i = 0; i < 10; i++) {
            run.bought(i, "k" + i);
        }
        run.refused(20, "sold-out");
        run.refused(20, "insufficient-stock");
        run.add(new Operation(Kind.PURCHASE, SALE, 1, null, new Cart(Map.of("apple", 2)), 0, 0,
                Outcome.REFUSED, "limit-reached", null, false, 0, "apple"));

        assertThat(run.findings().lines()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"101, true", "102, false"})
    void findsAFullRecordOfTooFewOrders(int orders, boolean isFound) {
        for (int i = 0; i < orders; i++) {
            run.bought(1, "k" + i);
        }
        run.add(new Operation(Kind.PURCHASE, SALE, 1, null, new Cart(Map.of("apple", 1)), 0, 0,
                Outcome.REFUSED, "limit-reached", null, false, 0, null));

        assertThat(run.findings().rules().contains("refusals: limit-reached was impossible"))
                .isEqualTo(isFound);
    }

    @Test
    void findsARefusalAsDuplicateLongAfterTheFirstPurchase() {
        run.bought(1, "a");
        for (int i = 0; i < 4; i++) {
            run.refused(2, "rate-limited");
        }
        run.refused(1, "duplicate-submission");

        assertThat(run.findings().rules()).containsExactly(
                "refusals: duplicate-submission was impossible");
    }

    @Test
    void duplicateOfARetryAfterALossIsNoViolation() {
        Operation first = run.bought(1, "a");
        for (int i = 0; i < 4; i++) {
            run.refused(2, "rate-limited");
        }
        run.fault(Effect.LOSES_WRITES);
        run.add(new Operation(first.kind(), first.offer(), 1, "a", first.cart(), 0, 0,
                Outcome.OK, "confirmed", first.order(), true, 0, null));
        run.refused(1, "duplicate-submission");

        assertThat(run.findings().rules()).isEmpty();
    }

    @Test
    void findsARefusalAsKeyReusedOfANewKey() {
        run.add(Kind.PURCHASE, SALE, 1, "a", Outcome.REFUSED, "key-reused", null);

        assertThat(run.findings().rules()).containsExactly(
                "refusals: key-reused without another body");
    }

    @Test
    void findsARefusalAsEmptyOfARainWithEnvelopes() {
        run.grabbed(1, 1, 1, 5);
        run.add(Kind.GRAB, RAIN, 2, null, Outcome.REFUSED, "empty", null);

        assertThat(run.findings().rules()).containsExactly(
                "refusals: empty of a rain was impossible");
    }
}
