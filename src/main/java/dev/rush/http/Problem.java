package dev.rush.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A refusal or failure as in RFC 9457. It is a value, because in a rush nearly every answer is one.
 * Problems without data are encoded once.
 */
public final class Problem {

    /** The media type of RFC 9457; a client may accept only this if an answer has no body. */
    public static final String TYPE = "application/problem+json";
    /** The same for JAX-RS. */
    public static final MediaType MEDIA_TYPE = new MediaType("application", "problem+json");

    private static final JsonMapper JSON = new JsonMapper();
    /** By the ordinals of the codes. */
    private static final Problem[] PLAIN = Arrays.stream(OutcomeCode.values())
            .map(code -> of(code, code.title() + ".")).toArray(Problem[]::new);

    private final OutcomeCode code;
    private final String detail;
    private final byte[] body;
    private final Answer answer;

    private Problem(OutcomeCode code, String detail, Map<String, ?> members, int retryAfterSeconds,
            @Nullable String challenge) {
        this.code = code;
        this.detail = detail;
        this.body = encode(code, detail, members);
        this.answer = answer(code, body, retryAfterSeconds, challenge);
    }

    /** With an authentication challenge, unless that is null. */
    private static Answer answer(OutcomeCode code, byte[] body, int retryAfterSeconds,
            @Nullable String challenge) {
        Answer answer = Answer.problem(code.status(), body);
        int seconds = retryAfterSeconds;
        if (seconds == 0 && (code == OutcomeCode.RATE_LIMITED || code.status() >= 503)) {
            seconds = 1;
        }
        if (seconds > 0) {
            answer = answer.with("Retry-After", Integer.toString(seconds));
        }
        return challenge == null ? answer : answer.with("WWW-Authenticate", challenge);
    }

    /** The problem of a code, without data. */
    public static Problem of(OutcomeCode code) {
        return PLAIN[code.ordinal()];
    }

    /** The problem of a code with a sentence of its own. */
    public static Problem of(OutcomeCode code, String detail) {
        return new Problem(code, detail, Map.of(), 0, null);
    }

    /** The problem of a code with a sentence and the members that belong to that code. */
    public static Problem of(OutcomeCode code, String detail, Map<String, ?> members) {
        return new Problem(code, detail, members, 0, null);
    }

    /** The same for a temporary problem, with the time after which to retry. */
    public static Problem retryable(
            OutcomeCode code, String detail, Map<String, ?> members, int retryAfterSeconds) {
        return new Problem(code, detail, members, retryAfterSeconds, null);
    }

    /** The problem of an unauthenticated caller, with the challenge of RFC 9110. */
    static Problem unauthenticated(String detail, String challenge) {
        return new Problem(OutcomeCode.UNAUTHENTICATED, detail, Map.of(), 0, challenge);
    }

    private static byte[] encode(OutcomeCode code, String detail, Map<String, ?> members) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("type", "/problems/" + code.text());
        fields.put("title", code.title());
        fields.put("status", code.status());
        fields.put("detail", detail);
        fields.putAll(members);
        try {
            return JSON.writeValueAsBytes(fields);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The code of this problem. */
    public OutcomeCode code() {
        return code;
    }

    /** What happened, in a sentence. */
    public String detail() {
        return detail;
    }

    /** The encoded problem. */
    public byte[] body() {
        return body.clone();
    }

    /** The answer to the client, as the REST layer sends it. */
    public Response response() {
        return answer.response();
    }

    /** The answer to the client. */
    public Answer answer() {
        return answer;
    }
}
