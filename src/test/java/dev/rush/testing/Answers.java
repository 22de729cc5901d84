package dev.rush.testing;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Api.Answer;
import java.util.Map;

/** Asserts what the contract says about every answer of the service. */
public final class Answers {
    /** The words of the contract, repeated here so that an accidental change fails a test. */
    private static final Map<String, Integer> STATUS = Map.ofEntries(
            entry("invalid-request", 400), entry("unauthenticated", 401), entry("forbidden", 403),
            entry("blocked", 403), entry("not-found", 404), entry("unknown-sale", 404),
            entry("unknown-item", 404), entry("unknown-order", 404), entry("unknown-rain", 404),
            entry("method-not-allowed", 405), entry("not-acceptable", 406),
            entry("request-timeout", 408), entry("not-open", 409),
            entry("paused", 409), entry("closed", 409), entry("limit-reached", 409),
            entry("sold-out", 409), entry("insufficient-stock", 409),
            entry("duplicate-submission", 409), entry("empty", 409), entry("sale-exists", 409),
            entry("rain-exists", 409), entry("below-ordered", 409), entry("not-retired", 409),
            entry("order-confirmed", 409), entry("order-expired", 409),
            entry("order-returned", 409), entry("rejected", 409),
            entry("cursor-expired", 410), entry("too-large", 413),
            entry("unsupported-media-type", 415), entry("key-reused", 422),
            entry("rate-limited", 429), entry("failed", 500), entry("not-implemented", 501),
            entry("unavailable", 503), entry("backlogged", 503), entry("not-loaded", 503),
            entry("outcome-unknown", 504));

    private Answers() {
    }

    /** Asserts that the answer is a complete problem with this word; returns it. */
    public static Answer refused(Answer answer, String word) {
        assertThat(answer.word()).as("the word of %s", answer).isEqualTo(word);
        return problem(answer);
    }

    /** Asserts that the answer is a complete problem with any word; returns it. */
    public static Answer problem(Answer answer) {
        assertThat(STATUS).as("the words of the contract").containsKey(answer.word());
        assertThat(answer.status()).as("the status of %s", answer)
                .isEqualTo(STATUS.get(answer.word()));
        assertThat(answer.header("Content-Type")).as("the type of %s", answer)
                .startsWith("application/problem+json");
        assertThat(answer.body().path("type").asText())
                .isEqualTo("/problems/" + answer.word());
        assertThat(answer.body().path("status").asInt()).isEqualTo(answer.status());
        assertThat(answer.body().path("title").asText()).isNotBlank();
        assertThat(answer.body().path("detail").asText()).isNotBlank();
        if (answer.status() == 429 || answer.status() >= 503) {
            assertThat(answer.header("Retry-After")).as("Retry-After of %s", answer)
                    .matches("[1-9][0-9]*");
        }
        if (answer.status() == 429) {
            assertThat(answer.header("RateLimit")).as("RateLimit of %s", answer)
                    .matches("\"[a-z]+\";r=0;t=[1-9][0-9]*");
            assertThat(answer.header("RateLimit-Policy")).as("RateLimit-Policy of %s", answer)
                    .matches("\"[a-z]+\";q=[1-9][0-9]*;.+");
        }
        return answer;
    }

    /** Asserts that the answer is a success of this status, in JSON; returns it. */
    public static Answer is(int status, Answer answer) {
        assertThat(answer.status()).as("the status of %s", answer).isEqualTo(status);
        if (status != 204) {
            assertThat(answer.header("Content-Type")).startsWith("application/json");
        }
        return answer;
    }

    /** JSON from a text with single quotes, which are easier to read in Java. */
    public static String json(String quoted) {
        return quoted.replace('\'', '"');
    }
}
