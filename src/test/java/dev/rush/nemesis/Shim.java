package dev.rush.nemesis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;

/**
 * Shifts the clock and fails disk writes of one server while it runs. The server preloads a small
 * library, built with this machine's C compiler, which reads its settings from a file.
 */
public final class Shim {
    private static final Path SOURCE = Path.of("src", "test", "resources", "nemesis", "shim.c");
    private static final int BYTES = 16;
    private static final Path LIBRARY = build();

    private final Path settings;
    private long shiftMicros;
    private int failureMode;

    /** Creates the settings of a server that is about to start. */
    Shim(String server) {
        try {
            settings = Files.createTempFile("rush-shim-" + server + "-", "");
            settings.toFile().deleteOnExit();
            write();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether this machine could build the library. */
    public static boolean available() {
        return LIBRARY != null;
    }

    /** Returns the environment in which the server must start; empty if there is no library. */
    Map<String, String> environment() {
        return LIBRARY == null ? Map.of()
                : Map.of("LD_PRELOAD", LIBRARY.toString(), "RUSH_SHIM", settings.toString());
    }

    /** Shifts the server's wall clock by a duration from the true time. */
    public void shiftClock(Duration by) {
        shiftMicros = by.toNanos() / 1_000;
        write();
    }

    /** Fails every sync to disk with EIO, or none. */
    public void failSyncs(boolean on) {
        failureMode = on ? 1 : 0;
        write();
    }

    /** Fails one positioned write (pwrite) in eight with EIO, or none. */
    public void failWrites(boolean on) {
        failureMode = on ? 2 : 0;
        write();
    }

    private synchronized void write() {
        ByteBuffer content = ByteBuffer.allocate(BYTES).order(ByteOrder.nativeOrder());
        content.putLong(shiftMicros).putInt(failureMode).rewind();
        try (FileChannel file = FileChannel.open(settings, StandardOpenOption.WRITE)) {
            file.write(content.limit(BYTES), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path build() {
        try {
            Path library = Files.createTempFile("rush-shim-", ".so");
            library.toFile().deleteOnExit();
            library.toFile().setReadable(true, false);
            return Disks.run("cc", "-shared", "-fPIC", "-O2", "-o", library.toString(),
                    SOURCE.toString()) == 0 ? library : null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
