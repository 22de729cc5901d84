package dev.rush.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.Position;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CursorTest {

    @Test
    void textIsParsedAgain() {
        Position far = new Position(60_000_000, 4_000_000_000_000_000_000L, 1L << 61);
        for (int archiveRun : new int[] {0, 1, 40, 60_000_000}) {
            Cursor cursor = new Cursor(far, archiveRun);
            assertThat(Cursor.parse(cursor.text())).isEqualTo(cursor);
            assertThat(cursor.text()).hasSizeLessThanOrEqualTo(37);
        }
    }

    @Test
    void cursorFromBeforeAllArchiveRunsIsAPosition() {
        assertThat(Cursor.parse("1.0.0")).isEqualTo(new Cursor(Position.START, 0));
        assertThat(new Cursor(Position.START, 0).text()).isEqualTo("1.0.0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "1.1", "1.1.1.", "1.1.1.zzzzzz", "1.1.1.-1", "1.1.1.1.1",
        "1..1", "1.1.A", "zzzzzz.1.1.1", "1.1.1.1 "})
    void malformedTextIsNoCursor(String text) {
        assertThat(Cursor.parse(text)).isNull();
    }
}
