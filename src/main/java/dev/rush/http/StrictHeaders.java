package dev.rush.http;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;

/**
 * The headers of a request while they are parsed. Refuses more than {@value #FIELDS_MAX} fields,
 * because a field takes twenty times the memory of its bytes, and every field that makes the end or
 * the host of the request ambiguous.
 */
final class StrictHeaders extends DefaultHttpHeaders {

    private static final int FIELDS_MAX = 100;
    private static final int LENGTH_DIGITS_MAX = 18;

    private final boolean chunksAllowed;
    private int fields;
    private boolean framed;
    private boolean host;

    StrictHeaders(HttpVersion version) {
        this.chunksAllowed = version.equals(HttpVersion.HTTP_1_1);
    }

    @Override
    public HttpHeaders add(CharSequence name, Object value) {
        check(name, value);
        return super.add(name, value);
    }

    @Override
    public HttpHeaders add(String name, Object value) {
        check(name, value);
        return super.add(name, value);
    }

    private void check(CharSequence name, Object value) {
        if (++fields > FIELDS_MAX) {
            throw new TooLongHttpHeaderException("more than " + FIELDS_MAX + " header fields");
        }
        switch (name.length()) {
            case 4 -> {
                if (is(name, "Host")) {
                    require(!host, "more than one Host");
                    host = true;
                }
            }
            case 14 -> {
                if (is(name, "Content-Length")) {
                    frame(isLength(value.toString()));
                }
            }
            case 17 -> {
                if (is(name, "Transfer-Encoding")) {
                    frame(chunksAllowed && is(value.toString(), "chunked"));
                }
            }
            default -> { }
        }
    }

    /** A request must state its end once, and in one way. */
    private void frame(boolean good) {
        require(good && !framed, "ambiguous length");
        framed = true;
    }

    private static boolean isLength(String value) {
        return !value.isEmpty() && value.length() <= LENGTH_DIGITS_MAX
                && value.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static boolean is(CharSequence text, String expected) {
        return text.length() == expected.length() && expected.equalsIgnoreCase(text.toString());
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
