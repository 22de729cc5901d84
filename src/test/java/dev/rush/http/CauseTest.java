package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CauseTest {

    @Test
    @DisplayName("Any failure's text becomes a valid cause")
    void ofText() {
        assertThat(Cause.ofText("ERR bad line\n\u0000\ud800 of script")).isEqualTo(
                "ERR bad line    of script");
        assertThat(Cause.ofText("\ud83d\ude00".repeat(300))).hasSize(Cause.MAX);
        assertThat(Texts.isPrintable(Cause.ofText("\ud83d\ude00".repeat(300)))).isTrue();
    }
}
