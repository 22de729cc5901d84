package dev.rush.http;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** Instants (RFC 3339) and durations (ISO 8601) between JSON and milliseconds. */
public final class Times {

    /** The latest instant allowed in a request, so that milliseconds fit everywhere. */
    private static final Instant LAST = Instant.parse("2199-12-31T23:59:59.999Z");

    /** The last instant formatted, because the orders of a call share their time. */
    private static volatile Known latest =
            new Known(0, Instant.EPOCH.toString());

    /** An instant and its formatted text. */
    private record Known(long millis, String text) {
    }

    private Times() {
    }

    /** The milliseconds of an instant in a request; 0 with a violation if it is malformed. */
    public static long instant(String field, @Nullable String text, Violations violations) {
        if (text == null) {
            return 0;
        }
        try {
            Instant instant = OffsetDateTime.parse(text).toInstant();
            // In milliseconds, where 0 means none.
            long millis = instant.toEpochMilli();
            violations.require(millis > 0 && !instant.isAfter(LAST), field,
                    "must lie between 1970 and 2199");
            return millis;
        } catch (DateTimeException | ArithmeticException e) {
            violations.require(false, field, "must be an instant such as 2026-11-20T12:00:00Z");
            return 0;
        }
    }

    /**
     * The milliseconds of a duration in a request; 0 if it is absent or, with a violation,
     * malformed.
     */
    public static long duration(
            String field, @Nullable String text, Duration max, Violations violations) {
        if (text == null) {
            return 0;
        }
        try {
            Duration duration = Duration.parse(text);
            violations.require(duration.compareTo(Duration.ofMillis(1)) >= 0
                    && duration.compareTo(max) <= 0, field, "must be PT0.001S to " + max);
            return duration.toMillis();
        } catch (DateTimeException | ArithmeticException e) {
            violations.require(false, field, "must be a duration such as PT15M");
            return 0;
        }
    }

    /** An instant as in answers: RFC 3339 in UTC with milliseconds. Null for 0. */
    public static @Nullable String text(long millis) {
        return millis == 0 ? null : formatted(millis);
    }

    /** As {@link #text}, for an instant that is never 0. */
    public static String formatted(long millis) {
        Known known = latest;
        if (known.millis != millis) {
            known = new Known(millis, Instant.ofEpochMilli(millis).toString());
            latest = known;
        }
        return known.text;
    }
}
