package dev.rush.bench.rush;

import dev.rush.bench.Progress;

/** {@code ./mvnw -Prush}: sends a rush to a service; exits with 1 if the books do not add up. */
public final class RushCommand {

    private RushCommand() {
    }

    /** Runs the rush that the system properties {@code rush.*} describe. */
    public static void main(String[] args) {
        RushReport report;
        try {
            report = Rush.run(RushPlan.ofProperties(), new Progress(System.out));
        } catch (RuntimeException e) {
            // User errors (no service, a number out of bounds) need no stack trace.
            System.err.println("rush: " + e.getMessage());
            System.exit(2);
            return;
        }
        System.out.print(report.text());
        System.exit(report.addsUp() ? 0 : 1);
    }
}
