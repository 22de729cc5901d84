package dev.rush.bench.rush;

import dev.rush.bench.Progress;

/** {@code ./mvnw -Prush}: runs a rush on a running service; ends with 1 if the books are off. */
public final class RushCommand {

    private RushCommand() {
    }

    /** Runs the rush that the system properties describe. */
    public static void main(String[] args) {
        RushReport report;
        try {
            report = Rush.run(RushPlan.ofProperties(), new Progress(System.out));
        } catch (RuntimeException e) {
            // What a person can mend (no service there, a number out of bounds) needs no stack.
            System.err.println("rush: " + e.getMessage());
            System.exit(2);
            return;
        }
        System.out.print(report.text());
        System.exit(report.addsUp() ? 0 : 1);
    }
}
