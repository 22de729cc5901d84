package dev.rush.bench;

import java.lang.management.ManagementFactory;
import java.util.Locale;

/** Whether a machine is quiet enough to be measured on. */
public final class Quiet {
    private static final double LOAD_MAX = 0.5;

    private Quiet() {
    }

    /** A sentence on the load that others put on this machine; ask before making any. */
    public static String sentence() {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        int processors = Runtime.getRuntime().availableProcessors();
        return String.format(Locale.ROOT, "Load average before the run: %.1f on %d processors%s.",
                load, processors, load > LOAD_MAX * processors
                        ? "; the machine was busy, so a quiet one is faster"
                        : "");
    }
}
