package dev.rush.bench.layout;

import dev.rush.bench.MachineLoad;
import dev.rush.bench.Measures;
import dev.rush.bench.Progress;
import dev.rush.dev.EmbeddedRedis;
import dev.rush.testing.Resp;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Compares both layouts on one server in interleaved rounds. */
public final class Layout {
    private static final List<Form> FORMS = List.of(
            new Form(128, false, false, false), new Form(16, false, false, false),
            new Form(128, true, false, false), new Form(16, true, false, false),
            new Form(128, true, true, false), new Form(128, true, true, true),
            new Form(16, true, true, true));

    private final int purchases = Integer.getInteger("layout.purchases", 25_600);
    private final int rounds = Integer.getInteger("layout.rounds", 7);
    private final Progress progress = new Progress(System.out);

    private Layout() {
    }

    /** Measures and prints a Markdown table. */
    public static void main(String[] args) {
        String load = MachineLoad.before();
        String table = new Layout().run();
        System.out.println(load + "\n\n" + table);
    }

    /** The cost of a layout: CPU seconds of each round, and bytes per order in the last one. */
    private static final class Cost {
        private final List<Double> seconds = new ArrayList<>();
        private long waiting;
        private long stored;

        double median() {
            return Measures.median(seconds);
        }
    }

    private String run() {
        List<String> lines = new ArrayList<>(List.of("Redis's CPU time per purchase and bytes "
                + "per order, medians of " + rounds + " interleaved rounds.", "",
                "| | layout | µs | bytes, waiting | bytes, stored | purchases per second, × |",
                "|---|---|--:|--:|--:|--:|"));
        try (EmbeddedRedis server = EmbeddedRedis.start("--appendonly", "no");
                Resp redis = Resp.connect(server.port())) {
            for (Form form : FORMS) {
                lines.addAll(measure(redis, form));
            }
        }
        progress.clear();
        return String.join("\n", lines);
    }

    private List<String> measure(Resp redis, Form form) {
        Map<Contender, Cost> costs = new EnumMap<>(Contender.class);
        for (int round = 0; round <= rounds; round++) {
            progress.show((long) FORMS.indexOf(form) * (rounds + 1) + round,
                    (long) FORMS.size() * (rounds + 1), form.toString());
            for (Contender contender : Contender.values()) {
                Cost cost = costs.computeIfAbsent(contender, first -> new Cost());
                double seconds = buy(redis, contender, form, cost);
                if (round > 0) { // Round 0 warms up.
                    cost.seconds.add(seconds);
                }
            }
        }
        double before = costs.get(Contender.FIVE_STRUCTURES).median();
        List<String> lines = new ArrayList<>();
        costs.forEach((contender, cost) -> lines.add(String.format(Locale.ROOT,
                "| %s | %s | %.1f | %d | %d | %.2f |", form, contender,
                cost.median() / purchases * 1e6, cost.waiting, cost.stored,
                before / cost.median())));
        return lines;
    }

    private double buy(Resp redis, Contender contender, Form form, Cost cost) {
        contender.prepare(redis);
        String sha1 = redis.text("SCRIPT", "LOAD", contender.script());
        List<String[]> calls = contender.calls(sha1, form, purchases);
        long empty = usedBytes(redis);
        double before = Measures.cpuSeconds(redis);
        for (String[] call : calls) {
            List<?> replies = redis.list(call);
            if (!((String) replies.get(replies.size() - 1)).startsWith("accepted ")) {
                throw new IllegalStateException("not accepted: " + replies);
            }
        }
        double seconds = Measures.cpuSeconds(redis) - before;
        cost.waiting = (usedBytes(redis) - empty) / purchases;
        contender.store(redis);
        cost.stored = (usedBytes(redis) - empty) / purchases;
        return seconds;
    }

    private static long usedBytes(Resp redis) {
        return redis.text("INFO", "memory").lines()
                .filter(line -> line.startsWith("used_memory:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .findFirst().orElseThrow();
    }
}
