package dev.rush.redis;

import dev.rush.redis.Partition.Keys;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.stream.Collectors;

/**
 * A Lua script of {@code src/main/resources/lua}. A line {@code -- include name} is replaced by the
 * part of that name in {@code src/main/resources/include}, because Redis has no modules.
 *
 * @param name folder and file without ending, for example {@code sale/purchase}
 * @param text the text of the file
 * @param sent the text that Redis gets: the {@link Layout#fence} and the text of the file
 * @param sha1 the SHA-1 of {@code sent}, by which Redis identifies the script
 */
public record Script(String name, String text, String sent, String sha1) {

    private static final String INCLUDE = "-- include ";

    /**
     * Reads a script from the resources. Its last key, which its text does not use, is that of the
     * {@link Layout}.
     *
     * @throws IllegalArgumentException if there is no script with this name
     */
    public static Script load(String name) {
        String text = text(name);
        int body = text.indexOf('\n') + 1;
        String sent = text.substring(0, body) + Layout.fence() + text.substring(body);
        return new Script(name, text, sent, sha1(sent));
    }

    /** As {@link #load} but without the fence, for the script that sets layouts. */
    public static Script unfenced(String name) {
        String text = text(name);
        return new Script(name, text, text, sha1(text));
    }

    private static String text(String name) {
        return read("/lua/" + name + ".lua").lines().map(line -> line.startsWith(INCLUDE)
                ? read("/include/" + line.substring(INCLUDE.length()) + ".lua") : line + "\n")
                .collect(Collectors.joining());
    }

    /**
     * A call of this script, without its arguments.
     *
     * @param keys   the keys of the script
     * @param asText whether the node lacks the script, so that its text must be sent
     */
    public Request request(Keys keys, boolean asText) {
        Request request = asText ? Request.cmd(Command.EVAL).arg(sent)
                : Request.cmd(Command.EVALSHA).arg(sha1);
        boolean isFenced = !sent.equals(text);
        request.arg(keys.texts().size() + (isFenced ? 1 : 0));
        keys.texts().forEach(request::arg);
        return isFenced ? request.arg(keys.partition().layoutKey()) : request;
    }

    private static String read(String path) {
        try (InputStream in = Script.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalArgumentException("No script " + path);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("Script " + path, e);
        }
    }

    private static String sha1(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1")
                    .digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
