package dev.rush.nemesis.checker;

import static dev.rush.nemesis.checker.SampleRun.RAIN;
import static dev.rush.nemesis.checker.SampleRun.SALE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import dev.rush.nemesis.fault.Fault.Effect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The checker finds purchases and grabs that do not fit what the operator did. */
class ControlCheckTest {
    private final SampleRun run = new SampleRun();

    @ParameterizedTest
    @ValueSource(strings = {"paused", "closed", "not-open", "unknown-sale"})
    void findsARefusalWithoutAReason(String word) {
        run.bought(1, "a");
        run.refused(2, word);

        assertThat(run.findings().rules()).containsExactly(
                "refusals: " + word + " was impossible");
    }

    @ParameterizedTest
    @ValueSource(strings = {"paused", "closed", "not-open", "unknown-rain"})
    void findsARefusalOfAGrabWithoutAReason(String word) {
        refusedGrab(word);

        assertThat(run.findings().rules()).containsExactly(
                "refusals: " + word + " was impossible");
    }

    private void refusedGrab(String word) {
        run.add(Kind.GRAB, RAIN, 2, null, Outcome.REFUSED, word, null);
    }

    private void closeRain(Outcome outcome) {
        run.add(Kind.CLOSE, RAIN, -1, null, outcome, "", null);
    }

    @Test
    void refusalsAfterAControlAreNoViolations() {
        run.operator(Kind.PAUSE);
        run.refused(20, "paused");
        run.operator(Kind.RESUME);
        run.operator(Kind.CLOSE);
        run.refused(20, "closed");
        closeRain(Outcome.UNKNOWN);
        refusedGrab("closed");

        assertThat(run.findings().lines()).isEmpty();
    }

    @Test
    void findsAGrabFromAClosedRain() {
        closeRain(Outcome.OK);
        run.grabbed(1, 1, 1, 5);

        assertThat(run.findings().rules()).containsExactly("control: a closed rain was grabbed");
    }

    @Test
    void replayOfAGrabFromAClosedRainIsNoViolation() {
        Operation grab = run.grabbed(1, "a", 1, 1, 5);
        closeRain(Outcome.OK);
        run.add(new Operation(Kind.GRAB, RAIN, 1, "a", null, 0, 0, Outcome.OK, "confirmed",
                grab.order(), true, grab.number(), ""));

        assertThat(run.findings().lines()).isEmpty();
    }

    @Test
    void grabAfterACloseThatMayHaveFailedIsNoViolation() {
        closeRain(Outcome.UNKNOWN);
        run.grabbed(1, 1, 1, 5);

        assertThat(run.findings().lines()).isEmpty();
    }

    @Test
    void grabAfterACloseThatAFailoverMayHaveLostIsNoViolation() {
        run.fault(Effect.LOSES_WRITES);
        closeRain(Outcome.OK);
        run.grabbed(1, 1, 1, 5);

        assertThat(run.findings().lines()).isEmpty();
    }

    @Test
    void findsARefusalAsPausedAfterTheSaleWasResumed() {
        run.operator(Kind.PAUSE);
        run.operator(Kind.RESUME);
        run.refused(1, "paused");

        assertThat(run.findings().rules()).containsExactly("refusals: paused was impossible");
    }

    @Test
    void findsAPurchaseFromAPausedSale() {
        run.operator(Kind.PAUSE);
        run.bought(1, "a");

        assertThat(run.findings().rules()).containsExactly("control: a paused sale sold");
    }

    @Test
    void findsAPurchaseFromAClosedSale() {
        run.operator(Kind.CLOSE);
        run.bought(1, "a");

        assertThat(run.findings().rules()).containsExactly("control: a closed sale sold");
    }

    @Test
    void findsARefusalAsUnknownOfAnAnsweredOrder() {
        Operation purchase = run.bought(1, "a");
        run.add(Kind.ORDER, SALE, 1, null, Outcome.REFUSED, "unknown-order", purchase.order());

        assertThat(run.findings().rules()).containsExactly(
                "refusals: unknown-order for an answered order");
    }
}
