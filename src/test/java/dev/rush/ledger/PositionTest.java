package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PositionTest {

    @Test
    void textIsParsedAgain() {
        Position far = new Position(60_000_000, 4_000_000_000_000_000_000L, 1L << 61);
        assertThat(Position.parse(far.text())).isEqualTo(far);
        assertThat(far.text()).hasSizeLessThanOrEqualTo(31);
        assertThat(Position.parse(Position.START.text())).isEqualTo(Position.START);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "1.1", "1.1.1.1", "1..1", "-1.1.1", "1.1.A",
        "zzzzzz.1.1", "1.zzzzzzzzzzzzz.1", "1.1.1 "})
    void malformedTextIsNoPosition(String text) {
        assertThat(Position.parse(text)).isNull();
    }
}
