package dev.rush.bench.wire;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A non-blocking codec for RESP2, the protocol of Redis. */
public final class RedisProtocol {
    /** The result of {@link #read} while a reply is incomplete. */
    public static final Object INCOMPLETE = new Object();

    private RedisProtocol() {
    }

    /** An error reply. */
    public record Failure(String message) {
    }

    /** Encodes a command. */
    public static byte[] command(String... words) {
        return command(List.of(words));
    }

    /** Encodes a command. */
    public static byte[] command(List<String> words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(64 + 24 * words.size());
        out.writeBytes(ascii("*" + words.size() + "\r\n"));
        for (String word : words) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            out.writeBytes(ascii("$" + bytes.length + "\r\n"));
            out.writeBytes(bytes);
            out.write('\r');
            out.write('\n');
        }
        return out.toByteArray();
    }

    /** Joins encoded commands into one message. */
    public static byte[] commands(byte[]... commands) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] command : commands) {
            out.writeBytes(command);
        }
        return out.toByteArray();
    }

    /**
     * Consumes a reply from the buffer: a String, a Long, a List, a {@link Failure} or null.
     * Returns {@link #INCOMPLETE} and consumes nothing while the reply is incomplete.
     */
    public static Object read(ByteBuffer in) {
        int start = in.position();
        Object reply = reply(in);
        if (reply == INCOMPLETE) {
            in.position(start);
        }
        return reply;
    }

    private static Object reply(ByteBuffer in) {
        int from = in.position();
        int end = from;
        while (end + 1 < in.limit() && in.get(end) != '\r') {
            end++;
        }
        if (end + 1 >= in.limit()) {
            return INCOMPLETE;
        }
        String line = text(in, from + 1, end);
        byte kind = in.get(from);
        in.position(end + 2);
        return switch (kind) {
            case '+' -> line;
            case '-' -> new Failure(line);
            case ':' -> Long.valueOf(line);
            case '$' -> bulk(in, Integer.parseInt(line));
            case '*' -> array(in, Integer.parseInt(line));
            default -> throw new IllegalStateException("not a reply of Redis: " + line);
        };
    }

    private static Object bulk(ByteBuffer in, int length) {
        if (length < 0) {
            return null;
        }
        int from = in.position();
        if (in.remaining() < length + 2) {
            return INCOMPLETE;
        }
        in.position(from + length + 2);
        return text(in, from, from + length);
    }

    private static Object array(ByteBuffer in, int length) {
        if (length < 0) {
            return null;
        }
        List<Object> replies = new ArrayList<>(length);
        for (int i = 0; i < length; i++) {
            Object reply = reply(in);
            if (reply == INCOMPLETE) {
                return INCOMPLETE;
            }
            replies.add(reply);
        }
        return replies;
    }

    private static String text(ByteBuffer in, int from, int to) {
        return new String(in.array(), in.arrayOffset() + from, to - from, StandardCharsets.UTF_8);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
