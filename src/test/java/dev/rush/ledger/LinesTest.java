package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LinesTest {

    @Test
    void quantitiesAreUnitsBySku() {
        assertThat(Lines.quantities("b:2,a.x:10,b:1")).containsExactly(
                Map.entry("b", 3L), Map.entry("a.x", 10L));
        assertThat(Lines.text(Lines.quantities("b:2,a.x:10"))).isEqualTo("b:2,a.x:10");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", ":1", "a:", "a:0", "a:-1", "a:x", "a:1,", "a:1,,b:2",
        "a:1,b", "a:99999999999999999999"})
    void malformedLinesAreRefusedAndNotRepeated(String lines) {
        assertThatThrownBy(() -> Lines.quantities(lines))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching("lines name no (item|units)");
    }
}
