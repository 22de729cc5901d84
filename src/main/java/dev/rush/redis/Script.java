package dev.rush.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A Lua script of {@code src/main/resources/lua}.
 *
 * @param name folder and file without ending, for example {@code sale/purchase}
 * @param text what is sent to Redis
 * @param sha1 by what Redis knows the text
 */
public record Script(String name, String text, String sha1) {

    /**
     * Reads a script from the resources.
     *
     * @throws IllegalArgumentException if there is none of this name
     */
    public static Script load(String name) {
        String path = "/lua/" + name + ".lua";
        try (InputStream in = Script.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalArgumentException("No script " + path);
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return new Script(name, text, sha1(text));
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
