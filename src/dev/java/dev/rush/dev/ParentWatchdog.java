package dev.rush.dev;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Keeps a process from outliving this JVM, however the JVM ends, even by SIGKILL.
 *
 * <p>A small shell waits at the far end of a pipe that only this JVM holds open. When the pipe
 * breaks, the shell asks the process to end, kills it after five seconds, and removes its folder. A
 * shutdown hook could not do that after SIGKILL, nor from a class loader that a live reload has
 * closed.
 */
public final class ParentWatchdog {
    private static final String SCRIPT = """
            trap '' INT TERM HUP
            read -r released && exit 0
            kill -s "$1" "$2" 2>/dev/null
            tries=0
            while kill -0 "$2" 2>/dev/null && [ $tries -lt 50 ]; do
              sleep 0.1
              tries=$((tries + 1))
            done
            kill -s KILL "$2" 2>/dev/null
            if [ -n "$3" ]; then rm -rf "$3"; fi
            """;

    // The JDK's reaper thread keeps a running Process, and so the pipe, reachable.
    private final Process shell;

    private ParentWatchdog(Process shell) {
        this.shell = shell;
    }

    /**
     * Ties a process to this JVM.
     *
     * @param signal the signal that asks the process to end, for example {@code TERM}
     * @param pid the process
     * @param folder removed after the process has ended; null: nothing is removed
     */
    public static ParentWatchdog watch(String signal, long pid, Path folder) {
        String removed = folder == null ? "" : folder.toAbsolutePath().toString();
        ProcessBuilder builder = new ProcessBuilder(
                "sh", "-c", SCRIPT, "watchdog", signal, Long.toString(pid), removed);
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        try {
            return new ParentWatchdog(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start the watchdog of process " + pid, e);
        }
    }

    /** Removes a folder when this JVM has ended. */
    static void removeAtEnd(Path folder) {
        // No process has this pid.
        watch("TERM", 0x7fff_ffff, folder);
    }

    /** Stops watching: the caller is responsible for the process and its folder again. */
    public void release() {
        try (var pipe = shell.getOutputStream()) {
            pipe.write("released\n".getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            shell.destroyForcibly();
        }
    }
}
