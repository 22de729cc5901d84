package dev.rush.reconciliation.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** I16: what the books call a difference, and how they read an order's lines. */
class VerdictTest {

    @Test
    @DisplayName("I16: units that nobody has are undersold, units that are offered again oversold")
    void driftHasAWord() {
        assertThat(Verdict.ofDrift(0)).isEqualTo(Verdict.BALANCED);
        assertThat(Verdict.ofDrift(1)).isEqualTo(Verdict.UNDERSOLD);
        assertThat(Verdict.ofDrift(-1)).isEqualTo(Verdict.OVERSOLD);
        assertThat(Verdict.NOT_LOADED.text()).isEqualTo("not-loaded");
    }

    @Test
    @DisplayName("I16: of two verdicts the worse one is said")
    void theWorseOneIsSaid() {
        for (Verdict one : Verdict.values()) {
            for (Verdict other : Verdict.values()) {
                assertThat(one.orWorse(other).ordinal())
                        .isEqualTo(Math.max(one.ordinal(), other.ordinal()));
            }
        }
    }
}
