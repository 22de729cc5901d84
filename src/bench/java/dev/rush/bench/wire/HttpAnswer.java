package dev.rush.bench.wire;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One answer of an HTTP/1.1 server.
 *
 * @param closes whether the server closes the connection after it
 */
public record HttpAnswer(int status, boolean closes, byte[] body) {
    private static final int ANSWER_BYTES_MAX = 65_536;
    private static final int STATUS_AT = "HTTP/1.1 ".length();
    private static final byte[] LENGTH = ascii("content-length:");
    private static final byte[] CHUNKED = ascii("transfer-encoding:");
    private static final byte[] CLOSE = ascii("connection: close");
    private static final byte[] PROBLEM = ascii("/problems/");

    /** Consumes an answer from the buffer; returns null and consumes nothing while incomplete. */
    public static HttpAnswer read(ByteBuffer in) {
        byte[] bytes = in.array();
        int start = in.arrayOffset() + in.position();
        int limit = in.arrayOffset() + in.limit();
        int length = -1;
        boolean chunked = false;
        boolean closes = false;
        int line = start;
        for (int at = start; at + 1 < limit; at++) {
            if (bytes[at] != '\r' || bytes[at + 1] != '\n') {
                continue;
            }
            if (at == line) {
                int status = (int) number(bytes, start + STATUS_AT, at, 10);
                int body = at + 2;
                return chunked ? chunks(in, status, closes, body - in.arrayOffset())
                        : fixed(in, status, closes, body, Math.max(0, length));
            }
            if (startsWith(bytes, line, at, LENGTH)) {
                length = (int) number(bytes, line + LENGTH.length, at, 10);
            }
            chunked |= startsWith(bytes, line, at, CHUNKED);
            closes |= startsWith(bytes, line, at, CLOSE);
            at++;
            line = at + 1;
        }
        return null;
    }

    /** Blocks until a whole answer has been read, which must be the only one. */
    public static HttpAnswer read(InputStream in) throws IOException {
        byte[] bytes = new byte[ANSWER_BYTES_MAX];
        int filled = 0;
        HttpAnswer answer = null;
        while (answer == null) {
            int more = in.read(bytes, filled, bytes.length - filled);
            if (more <= 0) {
                throw new EOFException("the answer ended after " + filled + " bytes");
            }
            filled += more;
            answer = read(ByteBuffer.wrap(bytes, 0, filled));
        }
        return answer;
    }

    /** Returns the word of a problem, {@code accepted} for 201, or else the status. */
    public String word() {
        for (int at = 0; status >= 400 && at + PROBLEM.length < body.length; at++) {
            if (body[at] == '/' && startsWith(body, at, body.length, PROBLEM)) {
                int from = at + PROBLEM.length;
                int to = from;
                while (to < body.length && body[to] != '"') {
                    to++;
                }
                return new String(body, from, to - from, StandardCharsets.US_ASCII);
            }
        }
        return status == 201 ? "accepted" : Integer.toString(status);
    }

    /** Returns the first number with this name in the body; 0 if there is none. */
    public long number(String name) {
        byte[] field = ascii("\"" + name + "\":");
        for (int at = 0; at + field.length < body.length; at++) {
            if (startsWith(body, at, body.length, field)) {
                return number(body, at + field.length, body.length, 10);
            }
        }
        return 0;
    }

    private static HttpAnswer fixed(
            ByteBuffer in, int status, boolean closes, int body, int length) {
        int position = body - in.arrayOffset();
        if (in.limit() - position < length) {
            return null;
        }
        byte[] copy = new byte[length];
        in.position(position).get(copy);
        return new HttpAnswer(status, closes, copy);
    }

    private static HttpAnswer chunks(ByteBuffer in, int status, boolean closes, int position) {
        ByteBuffer input = in.duplicate().position(position);
        byte[] body = new byte[input.remaining()];
        int filled = 0;
        while (true) {
            int from = input.position();
            int end = from;
            while (end + 1 < input.limit() && input.get(end) != '\r') {
                end++;
            }
            int length =
                    (int) number(in.array(), in.arrayOffset() + from, in.arrayOffset() + end, 16);
            if (end + 4 + length > input.limit()) {
                return null;
            }
            input.position(end + 2).get(body, filled, length);
            input.position(input.position() + 2);
            filled += length;
            if (length == 0) {
                in.position(input.position());
                return new HttpAnswer(status, closes, Arrays.copyOf(body, filled));
            }
        }
    }

    private static boolean startsWith(byte[] bytes, int from, int to, byte[] lower) {
        if (to - from < lower.length) {
            return false;
        }
        for (int i = 0; i < lower.length; i++) {
            byte next = bytes[from + i];
            if ((next >= 'A' && next <= 'Z' ? next + 32 : next) != lower[i]) {
                return false;
            }
        }
        return true;
    }

    private static long number(byte[] bytes, int from, int to, int radix) {
        long value = 0;
        for (int at = from; at < to; at++) {
            int digit = Character.digit(bytes[at], radix);
            if (digit >= 0) {
                value = value * radix + digit;
            } else if (bytes[at] != ' ') {
                break;
            }
        }
        return value;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
