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
 * A small disk (tmpfs) for each server, which a fault can fill. Only root can mount these;
 * otherwise servers use the folder for temporary files.
 */
public final class Disks implements AutoCloseable {
    private static final String SIZE = "size=768m";
    private static final long FREE_BYTES = 8_192;
    private static final int CHUNK_BYTES = 1 << 20;

    private final Map<String, Path> mounted = new LinkedHashMap<>();

    /** Returns the folder of a server's disk, mounted by the first call; null if there is none. */
    public synchronized Path folder(String server) {
        if (!available() || mounted.containsKey(server)) {
            return mounted.get(server);
        }
        try {
            Path folder = Files.createTempDirectory("rush-disk-" + server + "-");
            if (run("mount", "-t", "tmpfs", "-o", SIZE, "rush-nemesis", folder.toString()) != 0) {
                Files.delete(folder);
                return null;
            }
            mounted.put(server, folder);
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Mounts nothing yet; unmounts all disks when this JVM exits, unless they were closed. */
    Disks() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
    }

    /** Returns whether this machine can mount disks. */
    public static boolean available() {
        return System.getProperty("user.name").equals("root");
    }

    /** Fills a server's disk with a file, up to 8 KiB; {@link #removeBallast} removes it. */
    public void fill(String server) {
        try {
            FileStore disk = Files.getFileStore(folder(server));
            try (var ballast = Files.newOutputStream(ballast(server))) {
                byte[] chunk = new byte[CHUNK_BYTES];
                while (disk.getUsableSpace() > FREE_BYTES) {
                    ballast.write(chunk, 0, (int) Math.min(
                            CHUNK_BYTES, disk.getUsableSpace() - FREE_BYTES));
                }
            }
        } catch (IOException e) {
            // The server has taken the last of the space itself.
        }
    }

    /** Removes the file that {@link #fill} wrote. */
    public void removeBallast(String server) {
        try {
            Files.deleteIfExists(ballast(server));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path ballast(String server) {
        return folder(server).resolve("ballast");
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

    /** Runs a command and returns its exit code, or -1 if the program does not exist. */
    public static int run(String... command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = new String(
                    process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int code = process.waitFor();
            if (code != 0) {
                System.out.println(String.join(" ", command) + ": " + code + " " + output.strip());
            }
            return code;
        } catch (IOException e) {
            return -1;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
