package dev.rush.reconciliation.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** I16: the verdict for a drift. */
class VerdictTest {

    @Test
    @DisplayName("I16: deducted units of no order are undersold, units offered twice are oversold")
    void driftHasAWord() {
        assertThat(Verdict.ofDrift(0)).isEqualTo(Verdict.BALANCED);
        assertThat(Verdict.ofDrift(1)).isEqualTo(Verdict.UNDERSOLD);
        assertThat(Verdict.ofDrift(-1)).isEqualTo(Verdict.OVERSOLD);
        assertThat(Verdict.NOT_LOADED.text()).isEqualTo("not-loaded");
    }

    @Test
    @DisplayName("I16: the worse of two verdicts wins")
    void worseVerdictWins() {
        for (Verdict one : Verdict.values()) {
            for (Verdict other : Verdict.values()) {
                assertThat(one.orWorse(other).ordinal())
                        .isEqualTo(Math.max(one.ordinal(), other.ordinal()));
            }
        }
    }
}
