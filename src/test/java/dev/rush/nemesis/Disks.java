package dev.rush.nemesis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A small disk (tmpfs) for each server, so that it can be filled up. Where this process may not
 * mount, there are none, and servers use the folder for temporary files.
 */
public final class Disks implements AutoCloseable {
    private static final String SIZE = "size=768m";
    private static final long LEFT_BYTES = 8_192;
    private static final int CHUNK_BYTES = 1 << 20;

    private final Map<String, Path> mounted = new LinkedHashMap<>();

    /** Returns the folder of a server's disk, mounted when it is first asked for; null: none. */
    public synchronized Path of(String server) {
        if (!available() || mounted.containsKey(server)) {
            return mounted.get(server);
        }
        try {
            Path folder = Files.createTempDirectory("rush-disk-" + server + "-");
            if (run("mount", "-t", "tmpfs", "-o", SIZE, "rush-nemesis", folder.toString()) != 0) {
                Files.delete(folder);
                return null;
            }
            // PostgreSQL does not run as root, but in a user namespace of its own.
            mounted.put(server, folder);
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** No disks yet; all are gone at the latest with this JVM. */
    Disks() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
    }

    /** Returns whether servers have disks of their own here. */
    public static boolean available() {
        return System.getProperty("user.name").equals("root");
    }

    /** Writes a file that leaves no room on a server's disk; {@link #empty} removes it. */
    public void fill(String server) {
        try {
            FileStore disk = Files.getFileStore(of(server));
            try (var ballast = Files.newOutputStream(ballast(server))) {
                byte[] chunk = new byte[CHUNK_BYTES];
                while (disk.getUsableSpace() > LEFT_BYTES) {
                    ballast.write(chunk, 0, (int) Math.min(
                            CHUNK_BYTES, disk.getUsableSpace() - LEFT_BYTES));
                }
            }
        } catch (IOException e) {
            // The server was faster in taking the last of it.
        }
    }

    /** Makes room again. */
    public void empty(String server) {
        try {
            Files.deleteIfExists(ballast(server));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path ballast(String server) {
        return of(server).resolve("ballast");
    }

    @Override
    public synchronized void close() {
        mounted.values().forEach(folder -> {
            if (run("umount", "-l", folder.toString()) == 0) {
                folder.toFile().delete();
            }
        });
        mounted.clear();
    }

    /** Runs a command to its end and returns its exit code, -1 if there is no such program. */
    public static int run(String... command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String said = new String(
                    process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int code = process.waitFor();
            if (code != 0) {
                System.out.println(String.join(" ", command) + ": " + code + " " + said.strip());
            }
            return code;
        } catch (IOException e) {
            return -1;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
