package dev.rush.scripts;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.ledger.SqlMutants;
import dev.rush.testing.Resp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Creates every mutant of the scripts that the models cover, and runs scenes and random calls on
 * each. A mutant that passes them all survives; the file of equivalent mutants gives the reason for
 * each that must. Exits with 1 if another one survives, or if one that is listed was killed or does
 * not exist.
 */
public final class LuaMutants {
    private static final Path EQUIVALENT = Path.of("src/test/resources/mutants/lua.txt");
    private static final Duration REPLY_LIMIT = Duration.ofSeconds(3);
    private static final long[] SEEDS = {1, 2, 3};
    private static final long REQUESTS = Long.getLong("mutants.requests", 5_000);
    private static final List<String> SALE = List.of("sale/prepare", "sale/load", "sale/ensure",
            "sale/purchase", "sale/total", "sale/reschedule", "sale/read", "order/credit",
            "order/tombstone", "order/record", "order/search");
    private static final List<String> SHARDS =
            List.of("sale/take", "sale/retake", "sale/give", "sale/finish", "offer/followed");
    private static final List<String> IN_SHARDS_TOO =
            List.of("sale/load", "sale/total", "sale/read", "offer/control");
    private static final List<String> RAIN = List.of("rain/prepare", "rain/fill", "rain/grab",
            "rain/leaderboard", "rain/grabs", "rain/read");
    private static final List<String> BOTH = List.of("offer/control");
    private static final List<String> BOOKS = List.of(
            "event/forwarded", "event/lease", "ledger/reject", "ledger/acknowledge", "order/append",
            "order/backlog", "order/ensure", "order/forget", "order/replay", "order/restore",
            "order/report",
            "reconciliation/adjust", "reconciliation/clear", "reconciliation/fill",
            "reconciliation/release", "reconciliation/requeue", "reconciliation/retire",
            "reconciliation/snapshot", "reconciliation/total", "reconciliation/waiting",
            "redis/tenures");
    /** Of these, at least one is judged by each kind of calls. */
    private static final List<String> ALL_JUDGES =
            List.of("offer/control", "sale/load", "reconciliation/waiting");
    private static final List<String> RAIN_BOOKS = List.of(
            "reconciliation/rain", "reconciliation/requeue-grabs", "http/block");

    private final Map<String, String> equivalent = read();
    private EmbeddedRedis redis = EmbeddedRedis.start();
    private Resp resp = Resp.connect(redis.port(), REPLY_LIMIT);
    private int killed;
    private int explained;
    private final List<LuaMutant> survivors = new ArrayList<>();
    private final List<String> wronglyExplained = new ArrayList<>();
    /** Mutants that are listed, but have not been created. */
    private final Set<String> stale = new TreeSet<>();

    private LuaMutants() {
    }

    /** Runs all mutants, or those of scripts whose name contains {@code -Dmutants.script}. */
    public static void main(String[] args) throws Exception {
        String word = System.getProperty("mutants.script", "");
        boolean scripts = new LuaMutants().run(word);
        boolean sql = SqlMutants.run(word);
        System.exit(scripts && sql ? 0 : 1);
    }

    private boolean run(String word) {
        List<String> scripts = Stream.of(
                SALE, SHARDS, RAIN, BOTH, BOOKS, RAIN_BOOKS, LuaScripts.parts())
                .flatMap(List::stream).filter(script -> script.contains(word)).toList();
        equivalent.keySet().stream()
                .filter(name -> name.substring(0, name.indexOf(':')).contains(word))
                .forEach(stale::add);
        try {
            // A test that fails on the scripts themselves would kill every mutant.
            for (String script : scripts.isEmpty() ? scripts : ALL_JUDGES) {
                for (long seed : SEEDS) {
                    workloads(script, seed, new LuaScripts(resp, Map.of()));
                }
            }
            scripts.forEach(this::judge);
        } finally {
            resp.close();
            redis.close();
        }
        return report();
    }

    private void judge(String script) {
        List<LuaMutant> mutants = LuaMutant.of(script);
        int before = killed;
        mutants.forEach(mutant -> stale.remove(mutant.name()));
        for (LuaMutant mutant : mutants) {
            boolean isKilled = isKilled(mutant);
            boolean isExplained = equivalent.containsKey(mutant.name());
            killed += isKilled ? 1 : 0;
            if (isKilled && isExplained) {
                wronglyExplained.add(mutant.name());
            } else if (!isKilled && isExplained) {
                explained++;
            } else if (!isKilled) {
                survivors.add(mutant);
                System.out.printf("survives: %s (line %d)%n", mutant.name(), mutant.line());
            }
        }
        System.out.printf("%-16s %3d mutants, %3d killed%n", script, mutants.size(),
                killed - before);
    }

    private boolean isKilled(LuaMutant mutant) {
        LuaScripts scripts = new LuaScripts(resp, Map.of(mutant.script(), mutant.text()));
        for (long seed : SEEDS) {
            try {
                workloads(mutant.script(), seed, scripts);
            } catch (AssertionError | RuntimeException e) {
                restartIfHung();
                return true;
            }
        }
        return false;
    }

    private static void workloads(String script, long seed, LuaScripts scripts) {
        if (seed == SEEDS[0]) {
            new OfferControlScenes(scripts).all().values().forEach(Runnable::run);
            new StreamScenes(scripts).all().values().forEach(Runnable::run);
            new PurchaseScenes(scripts).all().values().forEach(Runnable::run);
            new ScheduleScenes(scripts).all().values().forEach(Runnable::run);
            new ControlScenes(scripts).all().values().forEach(Runnable::run);
            new TenureScenes(scripts).all().values().forEach(Runnable::run);
        }
        boolean isPart = script.startsWith("include/");
        if ((isPart || BOOKS.contains(script)) && seed == SEEDS[0]) {
            new BookScenes(scripts).all().values().forEach(Runnable::run);
            new RebuildScenes(scripts).all().values().forEach(Runnable::run);
            new LedgerScenes(scripts).all().values().forEach(Runnable::run);
            new ForwardScenes(scripts).all().values().forEach(Runnable::run);
        }
        if ((isPart || RAIN_BOOKS.contains(script) || script.equals("reconciliation/waiting")
                || RAIN.contains(script)) && seed == SEEDS[0]) {
            new RainScenes(scripts).all().values().forEach(Runnable::run);
        }
        if (isPart || SALE.contains(script) || BOTH.contains(script)) {
            new SaleWorkload(new Random(seed), scripts).run(REQUESTS);
        }
        if (isPart || RAIN.contains(script) || BOTH.contains(script)) {
            new RainWorkload(new Random(seed), scripts).run(REQUESTS);
        }
        if (SHARDS.contains(script) || IN_SHARDS_TOO.contains(script)) {
            new ShardWorkload(new Random(seed), scripts).run(REQUESTS / 20);
        }
    }

    /** A script that loops for ever, or broke the connection, needs a new Redis. */
    private void restartIfHung() {
        try {
            resp.command("PING");
        } catch (RuntimeException e) {
            resp.close();
            redis.close();
            redis = EmbeddedRedis.start();
            resp = Resp.connect(redis.port(), REPLY_LIMIT);
        }
    }

    private boolean report() {
        System.out.printf("%d mutants: %d killed, %d equivalent, %d survive%n",
                killed + explained + survivors.size(), killed, explained, survivors.size());
        stale.forEach(name -> System.out.println("no such mutant: " + name));
        wronglyExplained.forEach(name -> System.out.println("killed, but listed as equivalent: "
                + name));
        return survivors.isEmpty() && wronglyExplained.isEmpty() && stale.isEmpty();
    }

    /** Lines "mutant | reason"; the mutant is named as this program prints it. */
    private static Map<String, String> read() {
        Map<String, String> reasons = new LinkedHashMap<>();
        try {
            for (String line : Files.readAllLines(EQUIVALENT)) {
                int bar = line.lastIndexOf(" | ");
                if (bar > 0 && !line.startsWith("#")) {
                    reasons.put(line.substring(0, bar), line.substring(bar + 3));
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("no list of equivalent mutants", e);
        }
        return reasons;
    }
}
