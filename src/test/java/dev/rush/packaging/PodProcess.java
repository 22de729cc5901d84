package dev.rush.packaging;

import dev.rush.dev.ParentWatchdog;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * The process of a Redis pod, and its healing loop. The process is killed when this JVM ends, even
 * if it is frozen.
 */
final class PodProcess {

    private static final int STOP_SECONDS = 60;

    private final Process process;

    PodProcess(ProcessBuilder builder) throws IOException {
        process = builder.start();
        ParentWatchdog watchdog = ParentWatchdog.watch("KILL", process.pid(), null);
        process.onExit().thenRun(watchdog::release);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void signal(String signal) {
        Command.run("kill", "-" + signal, String.valueOf(process.pid()));
    }

    /** Kills the healing loop, which in a pod ends with the container, and sends SIGTERM. */
    void stop() {
        killLoop();
        process.destroy();
    }

    void kill() {
        killLoop();
        process.destroyForcibly();
    }

    private void killLoop() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
    }

    void awaitExit() {
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("a Redis process did not end");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
