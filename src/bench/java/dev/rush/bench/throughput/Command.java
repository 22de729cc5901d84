package dev.rush.bench.throughput;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Runs external programs and pins processes to CPUs. */
public final class Command {
    /** The services share this CPU; Redis and the driver use the other. */
    private static final String SERVICE_CPU = "0";
    private static final String OTHER_CPU = "1";

    private Command() {
    }

    /** Whether a program is on PATH. */
    static boolean isInstalled(String program) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    /** Whether processes can be pinned to separate CPUs. */
    public static boolean canPin() {
        return isInstalled("taskset") && Runtime.getRuntime().availableProcessors() > 1;
    }

    /** Returns the command, run on the CPU of the services if pinned. */
    public static List<String> onServiceCpu(List<String> command, boolean pinned) {
        List<String> all = new ArrayList<>();
        if (pinned) {
            all.addAll(List.of("taskset", "-c", SERVICE_CPU));
        }
        all.addAll(command);
        return all;
    }

    /** Moves this JVM, and what it starts later, to the CPU of Redis and the driver. */
    static void leaveServiceCpu() {
        leaveServiceCpu(ProcessHandle.current().pid());
    }

    /** Moves a process to the CPU of Redis and the driver. */
    public static void leaveServiceCpu(long pid) {
        run(List.of("taskset", "-a", "-p", "-c", OTHER_CPU, Long.toString(pid)));
    }

    /** Runs a program that must succeed, and returns its output. */
    static String run(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes());
            if (process.waitFor() != 0) {
                throw new IllegalStateException(String.join(" ", command) + ": " + output);
            }
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
