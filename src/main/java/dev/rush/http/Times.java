package dev.rush.http;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;

/** Instants (RFC 3339) and durations (ISO 8601) between JSON and milliseconds. */
public final class Times {

    /** The last instant that a request may name, so that milliseconds fit everywhere. */
    private static final Instant LAST = Instant.parse("2199-12-31T23:59:59.999Z");

    private Times() {
    }

    /** The milliseconds of an instant in a request; 0, with a violation where it is no instant. */
    public static long instant(String field, String text, Violations violations) {
        if (text == null) {
            return 0;
        }
        try {
            Instant instant = OffsetDateTime.parse(text).toInstant();
            // Counted in milliseconds, of which 0 stands for no instant.
            long millis = instant.toEpochMilli();
            violations.require(millis > 0 && !instant.isAfter(LAST), field,
                    "must lie between 1970 and 2199");
            return millis;
        } catch (DateTimeException | ArithmeticException e) {
            violations.require(false, field, "must be an instant such as 2026-11-20T12:00:00Z");
            return 0;
        }
    }

    /** The milliseconds of a duration in a request; 0 for none or, with a violation, a bad one. */
    public static long duration(String field, String text, Duration most, Violations violations) {
        if (text == null) {
            return 0;
        }
        try {
            Duration duration = Duration.parse(text);
            violations.require(duration.compareTo(Duration.ofMillis(1)) >= 0
                    && duration.compareTo(most) <= 0, field, "must be PT0.001S to " + most);
            return duration.toMillis();
        } catch (DateTimeException | ArithmeticException e) {
            violations.require(false, field, "must be a duration such as PT15M");
            return 0;
        }
    }

    /** An instant as answers give it: RFC 3339 in UTC with milliseconds. Null for 0. */
    public static String text(long millis) {
        return millis == 0 ? null : Instant.ofEpochMilli(millis).toString();
    }
}
