package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A time, a window or a number that a client sends is refused, or kept as it was meant. */
class TimesFuzzTest {

    @FuzzTest(maxDuration = "1m")
    void acceptedTimesSurviveARoundTrip(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        Violations violations = new Violations();
        long instant = Times.instant("at", text, violations);
        if (passes(violations)) {
            assertThat(instant).as(text).isBetween(1L, 7_258_118_399_999L);
            assertThat(Times.instant("at", Times.text(instant), new Violations()))
                    .isEqualTo(instant);
        }
        violations = new Violations();
        long millis = Times.duration("window", text, Duration.ofDays(30), violations);
        if (passes(violations)) {
            assertThat(millis).as(text).isBetween(1L, Duration.ofDays(30).toMillis());
        }
        violations = new Violations();
        int number = Violations.integer("limit", text, 1, 100, violations);
        if (passes(violations)) {
            assertThat(number).isBetween(1, 100).isEqualTo(Integer.parseInt(text));
        }
    }

    private static boolean passes(Violations violations) {
        try {
            violations.check();
            return true;
        } catch (ProblemException refused) {
            Refusals.check(refused);
            return false;
        }
    }
}
