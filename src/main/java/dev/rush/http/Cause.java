package dev.rush.http;

import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/** Why a caller makes a change, in their words, for the audit: {@code ?cause=}. */
public final class Cause {

    /** The name of the query parameter, and of a body's member. */
    public static final String NAME = "cause";
    /** The maximum length, in UTF-16 code units. */
    public static final int MAX = 200;

    private Cause() {
    }

    /**
     * The cause that a request states; null without one.
     *
     * @throws ProblemException {@code invalid-request} unless it has at most {@value #MAX}
     *                          printable characters
     */
    public static @Nullable String of(HttpServerRequest request) {
        String cause = request.getParam(NAME);
        Violations violations = new Violations();
        require(cause, violations);
        violations.check();
        return cause == null || cause.isEmpty() ? null : cause;
    }

    /** Records a violation if a cause is too long or has characters that are not printable. */
    public static void require(@Nullable String cause, Violations violations) {
        violations.require(cause == null || cause.length() <= MAX && Texts.isPrintable(cause),
                NAME, "must have at most " + MAX + " printable characters");
    }

    /** A failure's text as a cause: its beginning, without characters that are not printable. */
    public static String ofText(String text) {
        StringBuilder printable = new StringBuilder();
        text.codePoints().limit(MAX / 2).forEach(c -> {
            String character = Character.toString(c);
            printable.append(Texts.isPrintable(character) ? character : " ");
        });
        return printable.toString();
    }
}
