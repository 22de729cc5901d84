package dev.rush.bench.shards;

import dev.rush.bench.MachineLoad;
import dev.rush.bench.Measures;
import dev.rush.bench.Progress;
import dev.rush.dev.EmbeddedLedger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Sells one hot sale in k shards on k masters with k times the buyers, for k = 1, 2, 3 in
 * interleaved rounds, with full calls, as masters at their limit receive. A machine with few cores
 * cannot run k masters at their limit at once, but the CPU time per purchase shows what they could
 * do together.
 */
public final class Ceilings {
    private static final int MASTERS_MAX = 3;

    private final int purchases = Integer.getInteger("shards.purchases", 100_000);
    private final int rounds = Integer.getInteger("shards.rounds", 7);
    private final Map<Integer, List<List<Double>>> measured = new LinkedHashMap<>();

    private Ceilings() {
    }

    /** Measures and prints a Markdown table. */
    public static void main(String[] args) {
        String load = MachineLoad.before();
        String table = new Ceilings().run();
        System.out.println(load + "\n\n" + table);
    }

    private String run() {
        Progress progress = new Progress(System.out);
        List<Cluster> clusters = new ArrayList<>();
        try (EmbeddedLedger ledger = EmbeddedLedger.start()) {
            for (int masters = 1; masters <= MASTERS_MAX; masters++) {
                clusters.add(new Cluster(masters, ledger));
            }
            int done = 0;
            for (int round = 0; round <= rounds; round++) {
                for (Cluster cluster : clusters) {
                    progress.show(done++, clusters.size() * (rounds + 1),
                            cluster.masters() + " shards");
                    List<Double> ceilings = cluster.sell(cluster.masters() * purchases);
                    if (round > 0) { // Round 0 warms up.
                        measured.computeIfAbsent(cluster.masters(), first -> new ArrayList<>())
                                .add(ceilings);
                    }
                }
            }
        } finally {
            clusters.forEach(Cluster::close);
        }
        progress.clear();
        return table();
    }

    private String table() {
        List<String> lines = new ArrayList<>(List.of(
                "Purchases per second of Redis's CPU time, medians of " + rounds
                        + " interleaved rounds, " + purchases + " purchases per shard in calls"
                        + " of 128.", "",
                "| shards, masters | per master | together | ÷ one master | ÷ k |",
                "|---|---|---|---|---|"));
        double one = together(1);
        measured.keySet().forEach(masters -> {
            List<String> each = new ArrayList<>();
            for (int shard = 0; shard < masters; shard++) {
                int number = shard;
                each.add(String.format(Locale.ROOT, "%,.0f", Measures.median(
                        measured.get(masters).stream().map(all -> all.get(number)).toList())));
            }
            double ratio = together(masters) / one;
            lines.add(String.format(Locale.ROOT, "| %d | %s | %,.0f | %.2f | %.2f |", masters,
                    String.join(", ", each), together(masters), ratio, ratio / masters));
        });
        return String.join("\n", lines);
    }

    private double together(int masters) {
        return Measures.median(measured.get(masters).stream().map(ceilings ->
                ceilings.stream().mapToDouble(Double::doubleValue).sum()).toList());
    }
}
