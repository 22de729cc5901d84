package dev.rush.http;

import io.vertx.core.http.HttpHeaders;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * A view read from Redis: encoded once, then served as bytes to every reader.
 *
 * @param fields     the answer, with {@code asOf} last
 * @param body       the encoded answer
 * @param etag       changes when anything but {@code asOf} does
 * @param asOfMillis the time of the view, by Redis's clock
 * @param readNanos  when it was read, by {@link System#nanoTime()}
 */
public record Snapshot(Map<String, Object> fields, byte[] body, String etag, long asOfMillis,
        long readNanos) {

    private static final CharSequence NO_CACHE = HttpHeaders.createOptimized("no-cache");

    /** The snapshot of some fields at an instant of Redis's clock in milliseconds. */
    public static Snapshot of(Map<String, Object> fields, long now, Json json) {
        CRC32 crc = new CRC32();
        crc.update(json.write(fields));
        Map<String, Object> complete = new LinkedHashMap<>(fields);
        complete.put("asOf", Times.text(now));
        return new Snapshot(complete, json.write(complete),
                "\"" + Long.toHexString(crc.getValue()) + "\"", now, System.nanoTime());
    }

    /** The current time of Redis's clock, extrapolated with this process's clock. */
    public long nowMillis() {
        return asOfMillis + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - readNanos);
    }

    /**
     * The answer to a reader.
     *
     * @param known the reader's {@code If-None-Match}, or null
     */
    public Answer answer(@Nullable String known) {
        return (isKnown(known, etag) ? Answer.notModified() : Answer.json(200, body))
                .with(HttpHeaders.ETAG, etag).with(HttpHeaders.CACHE_CONTROL, NO_CACHE);
    }

    /** A list of tags, compared weakly, or {@code *}. */
    static boolean isKnown(@Nullable String known, String etag) {
        return known != null && Arrays.stream(known.split(",")).map(String::trim)
                .anyMatch(tag -> tag.equals(etag) || tag.equals("W/" + etag) || tag.equals("*"));
    }
}
