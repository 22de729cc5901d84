package dev.rush.nemesis;

import java.time.Duration;

/**
 * Runs a nemesis from the command line. The exit code is 1 if anything promised did not hold, and 2
 * if the run could not be brought to an end.
 */
public final class Nemesis {
    private Nemesis() {
    }

    /** Reads {@code nemesis.seconds}, {@code .seed}, {@code .faults} and {@code .clients}. */
    public static void main(String[] arguments) throws Exception {
        String seed = System.getProperty("nemesis.seed", "");
        NemesisRun run = new NemesisRun(
                seed.isEmpty() ? System.currentTimeMillis() : Long.parseLong(seed),
                Duration.ofSeconds(Integer.getInteger("nemesis.seconds", 300)),
                System.getProperty("nemesis.faults", "all"),
                Integer.getInteger("nemesis.clients", 24));
        Report report;
        try {
            report = run.run();
        } catch (Exception | AssertionError e) {
            e.printStackTrace();
            System.exit(2);
            return;
        }
        report.write(Topology.output());
        System.out.println(report.text());
        System.exit(report.clean() ? 0 : 1);
    }
}
