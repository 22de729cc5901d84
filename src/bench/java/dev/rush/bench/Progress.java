package dev.rush.bench;

import java.io.PrintStream;

/** A progress bar: redrawn on a terminal, otherwise printed at most every five seconds. */
public final class Progress {
    private static final int WIDTH = 30;
    private static final long LINE_NANOS = 5_000_000_000L;

    private final PrintStream out;
    private final boolean terminal = System.console() != null;
    private long lastNanos = System.nanoTime();

    /** Creates a bar on a stream. */
    public Progress(PrintStream out) {
        this.out = out;
    }

    /** Shows how many of the total are done, and the current activity. */
    public void show(long done, long total, String activity) {
        int filled = (int) (WIDTH * Math.min(done, total) / Math.max(1, total));
        String bar = "[" + "#".repeat(filled) + ".".repeat(WIDTH - filled) + "] "
                + done + "/" + total + " " + activity;
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
