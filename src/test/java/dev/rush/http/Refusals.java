package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;

/** What every refusal of a request body promises, whatever its content. */
public final class Refusals {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int BYTES_MAX = 8192;

    private Refusals() {
    }

    /** Checks that a refusal blames the request, names violations and stays small. */
    public static void check(ProblemException refused) {
        assertThat(refused.problem().code()).isEqualTo(OutcomeCode.INVALID_REQUEST);
        byte[] body = refused.problem().body();
        assertThat(body.length).isLessThanOrEqualTo(BYTES_MAX);
        try {
            JsonNode violations = JSON.readTree(body).path("violations");
            assertThat(violations.size()).isBetween(1, 20);
            for (JsonNode violation : violations) {
                assertThat(violation.path("message").asText()).isNotEmpty();
            }
        } catch (IOException e) {
            throw new AssertionError("the problem is no JSON", e);
        }
    }
}
