package dev.rush.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

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

    private Problem(OutcomeCode code, String detail, Map<String, ?> members,
            int retryAfterSeconds) {
        this.code = code;
        this.detail = detail;
        this.body = encode(code, detail, members);
        this.answer = answer(code, body, retryAfterSeconds);
    }

    private Problem(Problem problem, String header, String value) {
        code = problem.code;
        detail = problem.detail;
        body = problem.body;
        answer = problem.answer.with(header, value);
    }

    private static Answer answer(OutcomeCode code, byte[] body, int retryAfterSeconds) {
        Answer answer = Answer.problem(code.status(), body);
        int seconds = retryAfterSeconds;
        if (seconds == 0 && (code == OutcomeCode.RATE_LIMITED || code.status() >= 503)) {
            seconds = 1;
        }
        return seconds > 0 ? answer.with("Retry-After", Integer.toString(seconds)) : answer;
    }

    /** The problem of a code, without data. */
    public static Problem of(OutcomeCode code) {
        return PLAIN[code.ordinal()];
    }

    /** The problem of a code with a sentence of its own. */
    public static Problem of(OutcomeCode code, String detail) {
        return new Problem(code, detail, Map.of(), 0);
    }

    /** The problem of a code with a sentence and the members that belong to that code. */
    public static Problem of(OutcomeCode code, String detail, Map<String, ?> members) {
        return new Problem(code, detail, members, 0);
    }

    /**
     * The same for a temporary problem, with the time after which to retry. For {@link
     * OutcomeCode#RATE_LIMITED} use {@link #rateLimited}.
     */
    public static Problem retryable(
            OutcomeCode code, String detail, Map<String, ?> members, int retryAfterSeconds) {
        return new Problem(code, detail, members, retryAfterSeconds);
    }

    /**
     * The problem of a client that has used up a quota, with the header fields of
     * draft-ietf-httpapi-ratelimit-headers.
     *
     * @param policy            the policy's name
     * @param parameters        of the policy, such as {@code q=20;w=2}
     * @param retryAfterSeconds the time after which to retry
     */
    public static Problem rateLimited(
            String detail, String policy, String parameters, int retryAfterSeconds) {
        String name = '"' + policy + '"';
        return retryable(OutcomeCode.RATE_LIMITED, detail,
                Map.of("retryAfter", retryAfterSeconds), retryAfterSeconds)
                .with("RateLimit-Policy", name + ';' + parameters)
                .with("RateLimit", name + ";r=0;t=" + retryAfterSeconds);
    }

    /** The problem of an unauthenticated caller, with the challenge of RFC 9110. */
    static Problem unauthenticated(String detail, String challenge) {
        return of(OutcomeCode.UNAUTHENTICATED, detail).with("WWW-Authenticate", challenge);
    }

    private Problem with(String header, String value) {
        return new Problem(this, header, value);
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
