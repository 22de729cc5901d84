package dev.rush.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects the violations of a request, so that a client gets all of them at once. */
public final class Violations {

    private static final int VIOLATIONS_MAX = 20;

    private final List<Map<String, String>> found = new ArrayList<>();

    /** Records a violation unless {@code holds}. Returns {@code holds}. */
    public boolean require(boolean holds, String field, String message) {
        if (!holds && found.size() < VIOLATIONS_MAX) {
            found.add(Map.of("field", field, "message", message));
        }
        return holds;
    }

    /**
     * Fails the request if it has violations.
     *
     * @throws ProblemException {@code invalid-request} with all violations
     */
    public void check() {
        if (!found.isEmpty()) {
            throw new ProblemException(problem(found));
        }
    }

    /** {@code invalid-request} with one violation. */
    public static Problem problem(String field, String message) {
        return problem(List.of(Map.of("field", field, "message", message)));
    }

    private static Problem problem(List<Map<String, String>> violations) {
        Map<String, String> first = violations.get(0);
        String field = first.getOrDefault("field", "");
        return Problem.of(OutcomeCode.INVALID_REQUEST,
                (field.isEmpty() ? "The body" : field) + " " + first.get("message") + ".",
                Map.of("violations", violations));
    }

    /** An integer of a query; {@code min} with a violation if it is malformed or out of range. */
    public static int integer(
            String field, String text, int min, int max, Violations violations) {
        if (text.matches("\\d{1,9}")) {
            int value = Integer.parseInt(text);
            if (value >= min && value <= max) {
                return value;
            }
        }
        violations.require(false, field, "must be " + min + " to " + max);
        return min;
    }

    /**
     * The id in a path, if it is well formed.
     *
     * @throws ProblemException {@code invalid-request} otherwise
     */
    public static String id(String field, String id) {
        if (!Texts.isId(id)) {
            throw new ProblemException(
                    problem(field, "must be 1 to 64 of A-Z a-z 0-9 . _ -, not . or .."));
        }
        return id;
    }

    /**
     * A user in a request, if well formed.
     *
     * @throws ProblemException {@code invalid-request} otherwise
     */
    public static String user(String field, String user) {
        if (!Texts.isUser(user)) {
            throw new ProblemException(
                    problem(field, "must be 1 to 128 visible ASCII characters, not . or .."));
        }
        return user;
    }

    /**
     * The idempotency key of a request, or null if it has none.
     *
     * @throws ProblemException {@code invalid-request} unless it is 1 to 128 visible ASCII
     */
    public static @Nullable String key(@Nullable String key) {
        if (key != null && !Texts.isVisible(key)) {
            throw new ProblemException(
                    problem("Idempotency-Key", "must be 1 to 128 visible ASCII characters"));
        }
        return key;
    }
}
