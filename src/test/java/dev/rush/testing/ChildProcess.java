package dev.rush.testing;

import dev.rush.dev.ParentWatchdog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/** A process that is killed when this JVM ends, even if it is frozen. */
public final class ChildProcess {

    private static final int STOP_SECONDS = 60;

    private final Process process;

    /** Starts the process. */
    public ChildProcess(ProcessBuilder builder) {
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ParentWatchdog watchdog = ParentWatchdog.watch("KILL", process.pid(), null);
        process.onExit().thenRun(watchdog::release);
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Sends a signal, for example {@code STOP}. */
    public void signal(String signal) {
        Command.run("kill", "-" + signal, String.valueOf(process.pid()));
    }

    /** Kills what the process has started, as the end of a container does, and sends SIGTERM. */
    public void stop() {
        killDescendants();
        process.destroy();
    }

    /** Kills the process and what it has started. */
    public void kill() {
        killDescendants();
        process.destroyForcibly();
    }

    private void killDescendants() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
    }

    public void awaitExit() {
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(process.info() + " did not end");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
