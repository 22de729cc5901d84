package dev.rush.packaging;

import java.util.concurrent.TimeUnit;

/** Ends the process of a Redis pod and its healing loop. */
final class PodProcess {

    private static final int STOP_SECONDS = 60;

    private PodProcess() {
    }

    /** Kills the healing loop, which in a pod ends with the container. */
    static void killLoop(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
    }

    static void awaitExit(Process process) {
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
