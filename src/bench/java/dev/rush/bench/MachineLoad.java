package dev.rush.bench;

import java.lang.management.ManagementFactory;
import java.util.Locale;

/** Reports the load average of the machine, because figures of a busy machine are worth less. */
public final class MachineLoad {
    private static final double LOAD_MAX = 0.5;

    private MachineLoad() {
    }

    /** Returns a sentence about the load that others cause; call it before the bench starts. */
    public static String before() {
        return sentence("before");
    }

    /** Returns a sentence about the load at the end, which includes that of the bench. */
    public static String after() {
        return sentence("after");
    }

    private static String sentence(String when) {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        int processors = Runtime.getRuntime().availableProcessors();
        return String.format(Locale.ROOT, "Load average %s the run: %.1f on %d processors%s.",
                when, load, processors, load > LOAD_MAX * processors
                        ? "; the machine was busy, so a quiet one is faster"
                        : "");
    }
}
