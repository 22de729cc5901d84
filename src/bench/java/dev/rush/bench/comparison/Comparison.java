package dev.rush.bench.comparison;

import dev.rush.bench.MachineLoad;
import dev.rush.bench.Progress;
import dev.rush.bench.Servers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code ./mvnw -Pcomparison}: runs the same rush against every published way of deducting stock,
 * on one Redis and on a cluster, and writes docs/comparison.md and docs/comparison.svg.
 */
public final class Comparison {
    private static final int FAULTS_PER_THOUSAND = 10;

    private final boolean full;
    private final Progress progress = new Progress(System.out);
    private final Map<String, List<Result>> runs = new LinkedHashMap<>();
    private int done;
    private int all;

    private Comparison(boolean full) {
        this.full = full;
    }

    /** Runs the short comparison, or the full one with {@code -Dcomparison.full=true}. */
    public static void main(String[] args) throws IOException {
        boolean full = Boolean.getBoolean("comparison.full");
        Path folder = Path.of(System.getProperty("comparison.out", "docs"));
        String load = MachineLoad.before();
        Comparison comparison = new Comparison(full);
        List<Way> ways;
        String version;
        try (Servers single = Servers.single(); Servers cluster = Servers.cluster()) {
            comparison.run(single, cluster);
            ways = Ways.all(true);
            version = single.version();
        }
        List<Result> results = comparison.runs.values().stream().map(Result::of).toList();
        Document document = new Document(full, version, load, ways, results);
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("comparison.md"), document.text());
        Files.writeString(folder.resolve("comparison.svg"), Chart.svg(ways, results));
        System.out.println(document.tables());
        System.out.println("Written: " + folder.resolve("comparison.md") + " and .svg");
    }

    private void run(Servers single, Servers cluster) {
        List<Setup> setups = new ArrayList<>();
        for (int attempts : full ? List.of(10_000, 20_000) : List.of(10_000)) {
            setups.add(new Setup(attempts, 100, 0));
            setups.add(new Setup(attempts, 1_000, 0));
        }
        int rounds = full ? 3 : 1;
        Setup faulty = new Setup(full ? 4_000 : 1_000, 100, FAULTS_PER_THOUSAND);
        all = rounds * setups.size() * (Ways.all(false).size() + Ways.all(true).size())
                + Ways.all(false).size();
        warmUp(single);
        for (int round = 0; round < rounds; round++) {
            for (Setup setup : setups) {
                // Interleaved, so that a noisy minute affects all ways equally.
                Ways.all(false).forEach(way -> run(single, way, setup));
                Ways.all(true).forEach(way -> run(cluster, way, setup));
            }
        }
        for (Way way : Ways.all(false)) {
            // The service batches on behalf of clients, so clients cannot die halfway.
            if (way.batch() == 1) {
                run(single, way, faulty);
            } else {
                done++;
            }
        }
        progress.clear();
    }

    private void warmUp(Servers servers) {
        for (Way way : Ways.all(false)) {
            progress.show(0, all, "warming up: " + way.name());
            Trial.run(servers, way, new Setup(3_000, 50, 0));
        }
    }

    private void run(Servers servers, Way way, Setup setup) {
        progress.show(done++, all, way.name() + ", " + setup.attempts() + " attempts, "
                + setup.clients() + " clients, " + servers.name());
        runs.computeIfAbsent(way.name() + servers.name() + setup, created -> new ArrayList<>())
                .add(Trial.run(servers, way, setup));
    }
}
