package dev.rush.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A refusal or failure as RFC 9457 describes it. It is a value: in a rush nearly every answer is
 * one, so those without data are encoded once.
 */
public final class Problem {

    /** The media type of RFC 9457. */
    public static final MediaType MEDIA_TYPE = new MediaType("application", "problem+json");

    private static final JsonMapper JSON = new JsonMapper();
    private static final Map<Word, Problem> PLAIN = new EnumMap<>(Word.class);

    static {
        for (Word word : Word.values()) {
            PLAIN.put(word, new Problem(word, word.title() + ".", Map.of(), 0, null));
        }
    }

    private final Word word;
    private final byte[] body;
    private final int retryAfterSeconds;
    /** How to prove who calls, or null. */
    private final String challenge;

    private Problem(Word word, String detail, Map<String, ?> members, int retryAfterSeconds,
            String challenge) {
        this.word = word;
        this.challenge = challenge;
        this.body = encode(word, detail, members);
        this.retryAfterSeconds =
                retryAfterSeconds > 0 || word.status() < 503 ? retryAfterSeconds : 1;
    }

    /** The problem of a word, without data. */
    public static Problem of(Word word) {
        return PLAIN.get(word);
    }

    /** The problem of a word with a sentence of its own. */
    public static Problem of(Word word, String detail) {
        return new Problem(word, detail, Map.of(), 0, null);
    }

    /** The problem of a word with a sentence and the members that belong to that word. */
    public static Problem of(Word word, String detail, Map<String, ?> members) {
        return new Problem(word, detail, members, 0, null);
    }

    /** The same for a problem that passes: it says when to come again. */
    public static Problem retryable(
            Word word, String detail, Map<String, ?> members, int retryAfterSeconds) {
        return new Problem(word, detail, members, retryAfterSeconds, null);
    }

    /** The problem of a caller who is not known, with the challenge of RFC 9110. */
    static Problem unauthenticated(String detail, String challenge) {
        return new Problem(Word.UNAUTHENTICATED, detail, Map.of(), 0, challenge);
    }

    private static byte[] encode(Word word, String detail, Map<String, ?> members) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("type", "/problems/" + word.text());
        fields.put("title", word.title());
        fields.put("status", word.status());
        fields.put("detail", detail);
        fields.putAll(members);
        try {
            return JSON.writeValueAsBytes(fields);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The word of this problem. */
    public Word word() {
        return word;
    }

    /** The problem as it is sent. */
    public byte[] body() {
        return body.clone();
    }

    /** The answer to the client. */
    public Response response() {
        return builder().build();
    }

    /** The answer to the client, to be completed with headers. */
    public Response.ResponseBuilder builder() {
        Response.ResponseBuilder builder =
                Response.status(word.status()).type(MEDIA_TYPE).entity(body);
        if (retryAfterSeconds > 0) {
            builder.header("Retry-After", retryAfterSeconds);
        }
        if (challenge != null) {
            builder.header("WWW-Authenticate", challenge);
        }
        return builder;
    }

    /** This problem to be thrown where a value has no way out; it has no stack trace. */
    public ProblemException exception() {
        return new ProblemException(this);
    }
}
