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

/** Finds a redis-server that supports {@code #!lua} scripts: version 7 or later. */
final class RedisBinary {
    private static final String BUNDLED = "/redis-server-7.0.15-";
    private static final Pattern VERSION = Pattern.compile("v=(\\d+)\\.");
    private static final int VERSION_MIN = 7;

    private RedisBinary() {
    }

    /**
     * Returns the installed redis-server if it is new enough, otherwise the one that embedded-redis
     * bundles, unpacked into the folder.
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
            byte[] output = process.getInputStream().readAllBytes();
            Matcher version = VERSION.matcher(new String(output, StandardCharsets.UTF_8));
            return version.find() && Integer.parseInt(version.group(1)) >= VERSION_MIN;
        } catch (IOException e) {
            return false; // Not installed.
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path unpack(Path folder) {
        String name = BUNDLED + system() + "-" + processor();
        Path binary = folder.resolve("redis-server");
        try (InputStream bundled = RedisBinary.class.getResourceAsStream(name)) {
            if (bundled == null) {
                throw new IllegalStateException(
                        "install redis-server 7 or later; none is bundled: " + name);
            }
            Files.copy(bundled, binary);
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
