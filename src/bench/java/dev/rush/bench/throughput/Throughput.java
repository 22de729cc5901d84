package dev.rush.bench.throughput;

import dev.rush.bench.MachineLoad;
import dev.rush.bench.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code bench/throughput}: starts the service and its peers, measures each case in interleaved
 * rounds, prints the medians and the target ratios, and draws a chart.
 */
public final class Throughput {
    private final Stage stage;
    private final int connections = Integer.getInteger("throughput.connections", 64);
    private final int seconds = Integer.getInteger("throughput.seconds", 6);
    private final int warmUp = Integer.getInteger("throughput.warm-up", 12);
    private final int rounds = Integer.getInteger("throughput.rounds", 3);
    private final Progress progress = new Progress(System.out);

    private Throughput(Stage stage) {
        this.stage = stage;
    }

    /** Runs the bench that the system properties {@code throughput.*} describe. */
    public static void main(String[] args) throws IOException {
        String jar = System.getProperty("throughput.jar", "target/quarkus-app/quarkus-run.jar");
        String load = MachineLoad.before();
        try (Stage stage = new Stage(jar)) {
            Report report = new Throughput(stage).run();
            String text = load + "\n\n" + report.text();
            System.out.print(text);
            Path folder = Path.of("target", "throughput");
            Files.writeString(folder.resolve("throughput.md"), text);
            Files.writeString(folder.resolve("throughput.svg"), report.svg());
            System.out.println("Written: throughput.md and throughput.svg in " + folder);
        }
    }

    private Report run() {
        printMissing();
        List<Case> cases = Case.all(stage);
        int done = 0;
        int all = cases.size() * (rounds + 1);
        for (Case each : cases) {
            show(done++, all, "warming up: ", each);
            Measured measured = measure(each, warmUp);
            if (each.name().equals(Case.MINIMAL_PURCHASE)) {
                stage.pace(pace(measured.perSecond()));
            }
        }
        Map<Case, List<Measured>> runs = new LinkedHashMap<>();
        for (int round = 0; round < rounds; round++) {
            for (Case each : cases) {
                show(done++, all, "", each);
                runs.computeIfAbsent(each, created -> new ArrayList<>())
                        .add(measure(each, seconds));
            }
        }
        progress.clear();
        Map<Case, Measured> medians = new LinkedHashMap<>();
        runs.forEach((each, figures) -> medians.put(each, Measured.median(figures)));
        return new Report(connections, seconds, rounds, stage.pinned(), medians);
    }

    /** Returns the mean pause, in ms, at which all connections together send 70 % of a rate. */
    private int pace(double perSecond) {
        return Math.max(1, (int) Math.round(connections * 1000 / (0.7 * perSecond)));
    }

    private void show(int done, int all, String prefix, Case each) {
        progress.show(done, all, prefix + each.name() + ", " + each.service().name());
    }

    private void printMissing() {
        if (stage.webdisIfInstalled().isEmpty()) {
            System.out.println("webdis is not installed (Debian: apt install webdis): left out.");
        }
        if (stage.bareIfBuilt().isEmpty()) {
            System.out.println("bench/bare is not built: left out.");
        }
        if (stage.springIfBuilt().isEmpty()) {
            System.out.println("bench/spring is not built: left out.");
        }
        if (!stage.pinned()) {
            System.out.println("No taskset, or only one CPU: nothing is pinned.");
        }
    }

    private Measured measure(Case each, int duration) {
        Case.Run run = each.preparation().prepare();
        double service = each.service().cpuSeconds();
        double redis = stage.redisCpuSeconds();
        Load.Outcome outcome = Driver.drive(run.load(), connections, duration);
        double micros = 1e6 / outcome.requests();
        Measured measured = new Measured(outcome.perSecond(), outcome.p50Ms(), outcome.p99Ms(),
                (each.service().cpuSeconds() - service) * micros,
                (stage.redisCpuSeconds() - redis) * micros, fault(run, outcome));
        if (run.id() != null) {
            stage.clear(run.id());
        }
        return measured;
    }

    /** Returns what was wrong with a run, compared with the units taken in Redis; null: nothing. */
    private String fault(Case.Run run, Load.Outcome outcome) {
        if (outcome.failed() > 0) {
            return outcome.failed() + " requests failed";
        }
        if (run.refused() != (outcome.refused() > 0)
                || run.refused() && outcome.refused() != outcome.requests()) {
            return outcome.refused() + " of " + outcome.requests() + " were refused";
        }
        if (run.taken() == null) {
            return null;
        }
        // Requests in flight at the end are counted by Redis only.
        long taken = run.taken().read();
        return taken < outcome.requests() || taken > outcome.requests() + connections
                ? taken + " units for " + outcome.requests() + " requests" : null;
    }
}
