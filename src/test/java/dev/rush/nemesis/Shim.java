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
 * The clock and the disk of one server, as this run wants them: a small library, built by this
 * machine's C compiler, is loaded before those of the server, and reads its orders from a file.
 */
public final class Shim {
    private static final Path SOURCE = Path.of("src", "test", "resources", "nemesis", "shim.c");
    private static final int BYTES = 16;
    private static final Path LIBRARY = build();

    private final Path orders;
    private long shiftMicros;
    private int failing;

    /** The shim of a server that has not started. */
    Shim(String server) {
        try {
            orders = Files.createTempFile("rush-shim-" + server + "-", "");
            orders.toFile().deleteOnExit();
            write();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether this machine could build it. */
    public static boolean available() {
        return LIBRARY != null;
    }

    /** The environment with which the server starts. */
    Map<String, String> environment() {
        return LIBRARY == null ? Map.of()
                : Map.of("LD_PRELOAD", LIBRARY.toString(), "RUSH_SHIM", orders.toString());
    }

    /** Sets the server's wall clock off by so much. */
    public void shiftClock(Duration by) {
        shiftMicros = by.toNanos() / 1_000;
        write();
    }

    /** Fails whatever the server syncs to its disk, or nothing. */
    public void failSyncs(boolean on) {
        failing = on ? 1 : 0;
        write();
    }

    /** Fails some of what the server writes at a position of a file, or nothing. */
    public void failWrites(boolean on) {
        failing = on ? 2 : 0;
        write();
    }

    private synchronized void write() {
        ByteBuffer content = ByteBuffer.allocate(BYTES).order(ByteOrder.nativeOrder());
        content.putLong(shiftMicros).putInt(failing).rewind();
        try (FileChannel file = FileChannel.open(orders, StandardOpenOption.WRITE)) {
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
