package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ProblemTest {

    @ParameterizedTest
    @EnumSource(OutcomeCode.class)
    void temporaryProblemsHaveRetryAfter(OutcomeCode code) {
        Object seconds = Problem.of(code).response().getHeaderString("Retry-After");

        boolean temporary = code.status() == 429 || code.status() >= 503;
        assertThat(seconds).isEqualTo(temporary ? "1" : null);
    }
}
