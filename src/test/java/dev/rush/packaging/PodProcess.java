package dev.rush.packaging;

import java.util.concurrent.TimeUnit;

/** How the process of a Redis pod, and the loop beside it, end. */
final class PodProcess {

    private static final int STOP_SECONDS = 60;

    private PodProcess() {
    }

    /** The loop beside a Redis ends with its container; here it may sleep for an hour first. */
    static void endLoop(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
    }

    static void awaitEnd(Process process) {
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
