package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;

/**
 * The shapes of ids, users, keys and titles that clients send: whatever passes has one spelling in
 * a path, a key of Redis and a log.
 */
class TextsFuzzTest {

    @FuzzTest(maxDuration = "1m")
    void acceptedTextsAreSafeToStore(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (Texts.isId(text)) {
            assertThat(text).matches("\\A[A-Za-z0-9._-]{1,64}\\z").isNotIn(".", "..");
            assertThat(Texts.isUser(text)).as("an id may be a user").isTrue();
            assertThat(Violations.id("id", text)).isSameAs(text);
        }
        if (Texts.isUser(text)) {
            assertThat(Texts.isVisible(text)).isTrue();
            assertThat(text).isNotIn(".", "..");
        }
        if (Texts.isVisible(text)) {
            assertThat(text).matches("\\A[!-~]{1,128}\\z");
            assertThat(Texts.isPrintable(text)).isTrue();
            assertThat(Violations.key(text)).isSameAs(text);
        }
        if (Texts.isPrintable(text)) {
            assertThat(text.chars()).noneMatch(Character::isISOControl);
            assertThat(new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
                    .isEqualTo(text);
        }
        refusesOnlyAsDeclared(text);
    }

    private static void refusesOnlyAsDeclared(String text) {
        for (Runnable reading : new Runnable[] {() -> Violations.id("id", text),
            () -> Violations.user("user", text), () -> Violations.key(text)}) {
            try {
                reading.run();
            } catch (ProblemException refused) {
                Refusals.check(refused);
            }
        }
    }
}
