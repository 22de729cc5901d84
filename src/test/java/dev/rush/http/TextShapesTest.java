package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** X5: the shapes of ids, users, keys, times and numbers in requests, at their limits. */
class TextShapesTest {

    private final Violations violations = new Violations();

    private boolean isRefused() {
        try {
            violations.check();
            return false;
        } catch (ProblemException e) {
            assertThat(e.problem().code()).isEqualTo(OutcomeCode.INVALID_REQUEST);
            return true;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "0", "...", "a.", "A-Z_0.9"})
    @DisplayName("X5: letters, digits and . _ - make an id")
    void shortIdsAreIds(String id) {
        assertThat(Texts.isId(id)).isTrue();
        assertThat(Violations.id("sale", id)).isEqualTo(id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a b", "a/b", "é", "a:b"})
    @DisplayName("X5: characters with a meaning in paths or keys make no id")
    void otherTextsAreNoIds(String id) {
        assertThat(Texts.isId(id)).isFalse();
        assertThat(catchThrowableOfType(ProblemException.class, () -> Violations.id("sale", id)))
                .isNotNull();
    }

    @Test
    @DisplayName("X5: ids have at most 64 characters, users and keys at most 128")
    void longTextsAreRefused() {
        assertThat(Texts.isId("a".repeat(64))).isTrue();
        assertThat(Texts.isId("a".repeat(65))).isFalse();
        assertThat(Texts.isId(null)).isFalse();
        assertThat(Texts.isVisible("a".repeat(128))).isTrue();
        assertThat(Texts.isVisible("a".repeat(129))).isFalse();
        assertThat(Texts.isVisible("")).isFalse();
        assertThat(Texts.isVisible(null)).isFalse();
        assertThat(Texts.isUser("a".repeat(129))).isFalse();
    }

    @Test
    @DisplayName("X5: visible ASCII is from ! to ~")
    void visibleIsAsciiOnly() {
        for (char c = 0; c < 200; c++) {
            assertThat(Texts.isVisible("a" + c)).as("character %d", (int) c)
                    .isEqualTo(c >= '!' && c <= '~');
        }
        assertThat(Texts.isUser(".")).isFalse();
        assertThat(Texts.isUser("..")).isFalse();
        assertThat(Texts.isUser("...")).isTrue();
        assertThat(Violations.user("user", "~")).isEqualTo("~");
        assertThat(Violations.key("!")).isEqualTo("!");
        assertThat(Violations.key(null)).isNull();
    }

    @Test
    @DisplayName("X5: keys and users of other shapes are refused")
    void otherKeysAndUsersAreRefused() {
        assertThat(catchThrowableOfType(ProblemException.class, () -> Violations.key("a b"))
                .problem().code()).isEqualTo(OutcomeCode.INVALID_REQUEST);
        assertThat(catchThrowableOfType(ProblemException.class, () -> Violations.user("user", "."))
                .problem().code()).isEqualTo(OutcomeCode.INVALID_REQUEST);
    }

    @Test
    @DisplayName("X5: titles have no control characters and no unpaired surrogates")
    void titlesArePrintable() {
        assertThat(Texts.isPrintable("Äpfel 🍎")).isTrue();
        assertThat(Texts.isPrintable("a\u0000")).isFalse();
        assertThat(Texts.isPrintable("a\u0085")).isFalse();
        assertThat(Texts.isPrintable("a\ud800")).isFalse();
        assertThat(Texts.isPrintable("\udfff")).isFalse();
        assertThat(Texts.isPrintable("\ue000\ud7ff")).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "1970-01-01T00:00:00.001Z, 1",
        "2199-12-31T23:59:59.999Z, 7258118399999",
        "2030-01-01T01:00:00+01:00, 1893456000000",
    })
    @DisplayName("X5: instants from 1970 to 2199 are read and written")
    void instantsAreRead(String text, long millis) {
        assertThat(Times.instant("opensAt", text, violations)).isEqualTo(millis);
        assertThat(isRefused()).isFalse();
        assertThat(Times.instant("opensAt", Times.text(millis), violations)).isEqualTo(millis);
        assertThat(Times.text(0)).isNull();
        assertThat(Times.instant("opensAt", null, violations)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1970-01-01T00:00:00Z", "2200-01-01T00:00:00Z", "soon", "",
        "1969-12-31T23:59:59.999Z"})
    @DisplayName("X5: other instants are refused")
    void otherInstantsAreRefused(String text) {
        assertThat(Times.instant("opensAt", text, violations)).isLessThanOrEqualTo(
                7_258_118_400_000L);
        assertThat(isRefused()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"PT0.001S, 1, false", "PT1H, 3600000, false", "PT0.000999S, 0, true",
        "PT1H0.001S, 3600001, true", "-PT1S, -1000, true", "soon, 0, true", ", 0, false"})
    @DisplayName("X5: durations are at least a millisecond and at most their maximum")
    void durationsHaveLimits(String text, long millis, boolean refused) {
        assertThat(Times.duration("window", text, Duration.ofHours(1), violations))
                .isEqualTo(millis);
        assertThat(isRefused()).isEqualTo(refused);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, false", "100, 100, false", "0, 1, true", "101, 1, true", "x, 1, true",
        "-5, 1, true", "1000000000000, 1, true"})
    @DisplayName("X5: numbers in a query are within their limits")
    void numbersHaveLimits(String text, int value, boolean refused) {
        assertThat(Violations.integer("limit", text, 1, 100, violations)).isEqualTo(value);
        assertThat(isRefused()).isEqualTo(refused);
    }

    @Test
    @DisplayName("X5: at most twenty violations are reported; require returns its condition")
    void violationsAreBounded() {
        assertThat(violations.require(true, "x", "x")).isTrue();
        assertThat(isRefused()).isFalse();
        for (int i = 0; i < 30; i++) {
            assertThat(violations.require(false, "f" + i, "is wrong")).isFalse();
        }
        try {
            violations.check();
        } catch (ProblemException e) {
            String body = new String(e.problem().body(), StandardCharsets.UTF_8);
            assertThat(body).contains("f0 is wrong.").contains("\"f19\"").doesNotContain("\"f20\"");
        }
        assertThat(new String(Violations.problem("", "is none").body(),
                StandardCharsets.UTF_8)).contains("The body is none.");
    }
}
