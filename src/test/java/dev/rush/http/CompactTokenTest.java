package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One signed token has one spelling. */
class CompactTokenTest {

    @Test
    void encodedPartsOfAnyLengthAreCanonical() {
        Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
        for (int bytes = 1; bytes < 9; bytes++) {
            byte[] part = new byte[bytes];
            java.util.Arrays.fill(part, (byte) -1);
            String text = encoder.encodeToString(part);
            assertThat(CompactToken.isCanonical(text + "." + text + "." + text)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "...", "_w", "_w._w", "_w._w.", "_w.._w", "._w._w",
        "_w._w._w._w", "_w._w._w._w._w", "_w==._w._w", "_w._w._w=", "/w._w._w", "_w.+w._w",
        "_w._w._ w", "_w._w._w\n", "_w._w._w!", "_w._w._x", "__9._w._w", "_w._w._", "_w._wwww._w",
        "_w._\u00e4._w", "_w._\u2603._w"})
    void otherSpellingsAreNot(String token) {
        assertThat(CompactToken.isCanonical(token)).isFalse();
    }

    @Test
    void lengthIsBounded() {
        String longest = "_w._w." + "A".repeat(CompactToken.LENGTH_MAX - 6);
        assertThat(CompactToken.isCanonical(longest.substring(2) + "AA")).isFalse();
        assertThat(CompactToken.isCanonical(longest.substring(0, longest.length() - 2))).isTrue();
        assertThat(CompactToken.isCanonical(longest + "AAAA")).isFalse();
    }
}
