package dev.rush.nemesis;

/**
 * Runs the nemesis from the command line. The exit code is 1 if a promise was broken, and 2 if the
 * run could not finish.
 */
public final class Nemesis {
    private Nemesis() {
    }

    /** Reads {@link Options} from system properties. */
    public static void main(String[] arguments) throws Exception {
        NemesisRun run = new NemesisRun(Options.fromProperties());
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
