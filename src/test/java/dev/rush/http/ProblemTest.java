package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;
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

    @Test
    void refusalByAQuotaStatesItAndWhenToRetry() throws IOException {
        Problem problem = Problem.rateLimited("Too many.", "streams", "q=2", 5);

        assertThat(problem.response().getHeaderString("RateLimit-Policy"))
                .isEqualTo("\"streams\";q=2");
        assertThat(problem.response().getHeaderString("RateLimit"))
                .isEqualTo("\"streams\";r=0;t=5");
        assertThat(problem.response().getHeaderString("Retry-After")).isEqualTo("5");
        assertThat(new ObjectMapper().readTree(problem.body()).path("retryAfter").asInt())
                .isEqualTo(5);
    }
}
