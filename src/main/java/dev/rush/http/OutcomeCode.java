package dev.rush.http;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The outcome codes. A code is a script's reply, the type of a problem ({@code /problems/<code>}),
 * the label of a metric and the term in the documentation.
 */
public enum OutcomeCode {
    ACCEPTED("accepted", 201, "Accepted"),
    REPLAYED("replayed", 201, "Answered again"),

    INVALID_REQUEST("invalid-request", 400, "The request is not valid"),
    UNAUTHENTICATED("unauthenticated", 401, "The caller is not authenticated"),
    FORBIDDEN("forbidden", 403, "The caller's roles do not allow this"),
    BLOCKED("blocked", 403, "This user is blocked"),
    NOT_FOUND("not-found", 404, "Nothing found here"),
    UNKNOWN_SALE("unknown-sale", 404, "There is no such sale"),
    UNKNOWN_ITEM("unknown-item", 404, "The sale has no such item"),
    UNKNOWN_ORDER("unknown-order", 404, "There is no such order"),
    UNKNOWN_RAIN("unknown-rain", 404, "There is no such rain"),
    METHOD_NOT_ALLOWED("method-not-allowed", 405, "This method is not allowed here"),
    NOT_ACCEPTABLE("not-acceptable", 406, "No acceptable representation"),
    REQUEST_TIMEOUT("request-timeout", 408, "The request body did not arrive in time"),
    NOT_OPEN("not-open", 409, "Not open yet"),
    PAUSED("paused", 409, "Paused"),
    CLOSED("closed", 409, "Closed"),
    LIMIT_REACHED("limit-reached", 409, "The limit per user is reached"),
    SOLD_OUT("sold-out", 409, "Sold out"),
    INSUFFICIENT_STOCK("insufficient-stock", 409, "Fewer units are left than requested"),
    DUPLICATE_SUBMISSION("duplicate-submission", 409, "Already submitted a moment ago"),
    EMPTY("empty", 409, "No envelope is left"),
    SALE_EXISTS("sale-exists", 409, "Another sale has this id"),
    RAIN_EXISTS("rain-exists", 409, "Another rain has this id"),
    BELOW_ORDERED("below-ordered", 409, "More units are ordered than the new total"),
    NOT_RETIRED("not-retired", 409, "The month has open sales or rains, or unread events"),
    ORDER_CONFIRMED("order-confirmed", 409, "The order was confirmed by another payment"),
    ORDER_EXPIRED("order-expired", 409, "The order was not paid in time"),
    ORDER_RETURNED("order-returned", 409, "The order was returned"),
    REJECTED("rejected", 409, "The ledger rejected the order"),
    CURSOR_EXPIRED("cursor-expired", 410, "Reading cannot continue from this cursor"),
    TOO_LARGE("too-large", 413, "The request is too large"),
    UNSUPPORTED_MEDIA_TYPE("unsupported-media-type", 415, "Send application/json"),
    KEY_REUSED("key-reused", 422, "The idempotency key was used with another body"),
    RATE_LIMITED("rate-limited", 429, "Too many requests"),
    FAILED("failed", 500, "An internal error; it has been logged"),
    NOT_IMPLEMENTED("not-implemented", 501, "Not available without a ledger"),
    UNAVAILABLE("unavailable", 503, "Nothing happened; try again"),
    BACKLOGGED("backlogged", 503, "Too many orders wait for the ledger"),
    NOT_LOADED("not-loaded", 503, "The stock is gone from Redis and awaits repair"),
    OUTCOME_UNKNOWN("outcome-unknown", 504, "The outcome is unknown; retry with the same key");

    private static final Map<String, OutcomeCode> BY_TEXT = new HashMap<>();

    static {
        for (OutcomeCode code : values()) {
            BY_TEXT.put(code.text, code);
        }
    }

    private final String text;
    private final int status;
    private final String title;

    OutcomeCode(String text, int status, String title) {
        this.text = text;
        this.status = status;
        this.title = title;
    }

    /** The code as scripts, problem types, metrics and documents spell it. */
    public String text() {
        return text;
    }

    /** The HTTP status that goes with the code. */
    public int status() {
        return status;
    }

    /** A short summary for humans. */
    public String title() {
        return title;
    }

    /** Whether the code refuses or fails a request. */
    public boolean isProblem() {
        return status >= 400;
    }

    /**
     * The code of a script's reply.
     *
     * @throws IllegalArgumentException if no such code exists, which is a bug in the script
     */
    public static OutcomeCode of(String text) {
        OutcomeCode code = BY_TEXT.get(text);
        if (code == null) {
            throw new IllegalArgumentException("No such code: " + text);
        }
        return code;
    }

    /** The codes that refuse or fail a request, in the order of their statuses. */
    public static List<String> problems() {
        return Arrays.stream(values()).filter(OutcomeCode::isProblem).map(OutcomeCode::text)
                .toList();
    }

    /** The code, or null if there is none. */
    public static @Nullable OutcomeCode find(String text) {
        return BY_TEXT.get(text);
    }
}
