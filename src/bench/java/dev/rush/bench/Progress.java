package dev.rush.bench;

import java.io.PrintStream;

/** A bar that shows how far something is: redrawn on a terminal, else a line now and then. */
public final class Progress {
    private static final int WIDTH = 30;
    private static final long LINE_NANOS = 5_000_000_000L;

    private final PrintStream out;
    private final boolean terminal = System.console() != null;
    private long lastNanos = System.nanoTime();

    /** A bar on a stream. */
    public Progress(PrintStream out) {
        this.out = out;
    }

    /** Shows how many of all are done, and what is being done. */
    public void show(long done, long all, String what) {
        int filled = (int) (WIDTH * Math.min(done, all) / Math.max(1, all));
        String bar = "[" + "#".repeat(filled) + ".".repeat(WIDTH - filled) + "] "
                + done + "/" + all + " " + what;
        if (terminal) {
            out.print("\r" + bar + "\u001b[K");
            out.flush();
        } else if (System.nanoTime() - lastNanos > LINE_NANOS) {
            lastNanos = System.nanoTime();
            out.println(bar);
        }
    }

    /** Removes the bar. */
    public void clear() {
        if (terminal) {
            out.print("\r\u001b[K");
            out.flush();
        }
    }
}
