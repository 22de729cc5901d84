package dev.rush.books;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
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

    @Test
    @DisplayName("I16: lines are units by item; what is none counts for nothing")
    void linesAreUnits() {
        assertThat(Quantities.of("a:2,b.c:30,a:1")).isEqualTo(Map.of("a", 3L, "b.c", 30L));
        assertThat(Quantities.of(null)).isEmpty();
        assertThat(Quantities.of("-")).isEmpty();
    }
}
