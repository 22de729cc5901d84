package dev.rush.dev;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds a redis-server that knows {@code #!lua} scripts, that is, of version 7 or later. */
final class RedisBinary {
    private static final String CARRIED = "/redis-server-7.0.15-";
    private static final Pattern VERSION = Pattern.compile("v=(\\d+)\\.");
    private static final int OLDEST = 7;

    private RedisBinary() {
    }

    /**
     * Returns the installed redis-server when it is new enough, otherwise the one that the
     * embedded-redis library carries, unpacked into the folder.
     */
    static String locate(Path folder) {
        return installedIsNewEnough() ? "redis-server" : unpack(folder).toString();
    }

    private static boolean installedIsNewEnough() {
        try {
            Process process = new ProcessBuilder("redis-server", "--version").start();
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return false;
            }
            byte[] words = process.getInputStream().readAllBytes();
            Matcher version = VERSION.matcher(new String(words, StandardCharsets.UTF_8));
            return version.find() && Integer.parseInt(version.group(1)) >= OLDEST;
        } catch (IOException e) {
            return false; // Not installed.
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path unpack(Path folder) {
        String name = CARRIED + system() + "-" + processor();
        Path binary = folder.resolve("redis-server");
        try (InputStream carried = RedisBinary.class.getResourceAsStream(name)) {
            if (carried == null) {
                throw new IllegalStateException(
                        "please install redis-server 7, none is carried for this system: " + name);
            }
            Files.copy(carried, binary);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!binary.toFile().setExecutable(true)) {
            throw new IllegalStateException("cannot make executable: " + binary);
        }
        return binary;
    }

    private static String system() {
        String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        return name.startsWith("mac") ? "darwin" : name;
    }

    private static String processor() {
        String name = System.getProperty("os.arch");
        return switch (name) {
            case "aarch64" -> "arm64";
            case "x86_64" -> "amd64";
            default -> name;
        };
    }
}
