package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ProblemTest {

    @ParameterizedTest
    @EnumSource(Word.class)
    void temporaryProblemsHaveRetryAfter(Word word) {
        Object seconds = Problem.of(word).response().getHeaderString("Retry-After");

        boolean temporary = word.status() == 429 || word.status() >= 503;
        assertThat(seconds).isEqualTo(temporary ? "1" : null);
    }
}
