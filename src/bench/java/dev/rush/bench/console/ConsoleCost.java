package dev.rush.bench.console;

import dev.rush.bench.MachineLoad;
import dev.rush.bench.Measures;
import dev.rush.bench.Progress;
import dev.rush.bench.rush.Rush;
import dev.rush.bench.rush.RushPlan;
import dev.rush.bench.rush.RushReport;
import dev.rush.dev.EmbeddedLedger;
import dev.rush.dev.EmbeddedRedis;
import dev.rush.testing.Browser;
import dev.rush.testing.Pod;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/**
 * {@code ./mvnw -Pconsole}: measures what an open console costs a pod during a rush, and whether it
 * stays live. Rushes with and without the console alternate. Exits with 1 if a bound is exceeded.
 * First it reports the size of the files and the time of the first paint, and stops after that with
 * {@code -Dconsole.rounds=0}.
 */
public final class ConsoleCost {
    private static final Duration UPDATE_MAX = Duration.ofSeconds(1);
    private static final double CORE_MAX = 0.03;
    private static final String WATCH = """
            window.updates = { last: performance.now(), max: 0, count: 0, lost: 0 };
            new MutationObserver(() => {
              const now = performance.now();
              updates.max = Math.max(updates.max, now - updates.last);
              updates.last = now;
              updates.count++;
              if (document.body.dataset.live !== 'live') updates.lost++;
            }).observe(document.querySelector('.chart svg'), { childList: true });
            """;

    private static final int VISITS = 9;
    private static final Path FILES = Path.of("src/main/resources/pages");
    private static final String PAINT = """
            const [page] = performance.getEntriesByType('navigation');
            const files = performance.getEntriesByType('resource')
                .filter(({ name }) => !name.includes('/v1/'));
            const first = files.filter(file => file.renderBlockingStatus === 'blocking');
            const sum = all => all.reduce((bytes, file) => bytes + file.decodedBodySize,
                page.decodedBodySize);
            return { paint: performance.getEntriesByName('first-contentful-paint')[0].startTime,
                files: files.length + 1, bytes: sum(files), first: first.length + 1,
                firstBytes: sum(first) };
            """;

    private final int buyers = Integer.getInteger("console.buyers", 20_000);
    private final int pace = Integer.getInteger("console.pace", 500);
    private final int rounds = Integer.getInteger("console.rounds", 3);
    private final Pod pod;
    private final Browser browser;
    private double gapMaxMs;
    private long lost;

    private ConsoleCost(Pod pod, Browser browser) {
        this.pod = pod;
        this.browser = browser;
    }

    /** Measures and prints the results. */
    public static void main(String[] args) {
        System.out.println(MachineLoad.before());
        boolean isWithinBounds;
        try (EmbeddedRedis redis = EmbeddedRedis.startDurable("--save", "");
                EmbeddedLedger ledger = EmbeddedLedger.start();
                Pod pod = Pod.start("console-cost", Map.of("rush.console.enabled", "true",
                        Pod.NEW_RATIO, "2",
                        "rush.orders.sink", "postgres", "quarkus.redis.hosts", redis.url(),
                        "quarkus.datasource.jdbc.url", ledger.freshDatabase()));
                Browser browser = Browser.start()) {
            isWithinBounds = new ConsoleCost(pod, browser).run();
        }
        System.exit(isWithinBounds ? 0 : 1);
    }

    private boolean run() {
        measurePaint();
        if (rounds == 0) {
            return true;
        }
        System.out.printf("Rushes of %d buyers at %d a second, %d rounds.%n", buyers, pace,
                rounds);
        browser.open(pod.baseUri() + "/console#/sales");
        browser.await("#sign-in", "Name");
        browser.press("#sign-in-name button");
        browser.await("h1", "Sales");
        browser.run("location.hash = '#/blocklist'");
        rush("warm-up", false);
        List<Double> without = new ArrayList<>();
        List<Double> with = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            for (boolean isWatched : new boolean[] {round % 2 == 1, round % 2 == 0}) {
                (isWatched ? with : without).add(
                        rush((isWatched ? "with-" : "without-") + round, isWatched));
            }
        }
        double cost = Measures.median(with) - Measures.median(without);
        System.out.printf("A pod's share of a core: %.1f %% without, %.1f %% with an open console "
                + "(medians): the console costs %.1f %%.%n",
                100 * Measures.median(without), 100 * Measures.median(with), 100 * cost);
        System.out.printf("Longest time between two updates: %.0f ms; updates while not live: "
                + "%d.%n", gapMaxMs, lost);
        return cost < CORE_MAX && gapMaxMs <= UPDATE_MAX.toMillis() && lost == 0;
    }

    /** Measures the first paint of visits with an empty cache. */
    private void measurePaint() {
        browser.disableCache(true);
        List<Double> paints = new ArrayList<>();
        Map<String, Object> seen = Map.of();
        for (int visit = 0; visit < VISITS; visit++) {
            browser.open("about:blank");
            browser.open(pod.baseUri() + "/console");
            browser.await("#sign-in", "Name");
            seen = browser.run(PAINT);
            paints.add(((Number) seen.get("paint")).doubleValue());
        }
        browser.disableCache(false);
        System.out.printf("%s files, %s bytes, %d compressed; before the first paint %s with %s "
                + "bytes.%n", seen.get("files"), seen.get("bytes"), compressedBytes(),
                seen.get("first"), seen.get("firstBytes"));
        System.out.printf("First contentful paint of %d visits: %.0f to %.0f ms, median %.0f ms."
                + "%n", VISITS, Collections.min(paints), Collections.max(paints),
                Measures.median(paints));
    }

    /** Returns the total size of the console's files, each compressed. */
    private static long compressedBytes() {
        try (Stream<Path> files = Stream.concat(Files.list(FILES.resolve("console")),
                Stream.of(FILES.resolve("page.js"), FILES.resolve("rush.js")))) {
            return files.mapToLong(file -> {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                try (OutputStream out = new GZIPOutputStream(bytes)) {
                    out.write(Files.readAllBytes(file));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                return bytes.size();
            }).sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a rush and returns the share of a core that the pod used meanwhile. */
    private double rush(String id, boolean isWatched) {
        CompletableFuture<RushReport> rush = CompletableFuture.supplyAsync(() -> Rush.run(
                new RushPlan(pod.baseUri(), RushPlan.Kind.PURCHASE, id, buyers, buyers * 3 / 4,
                        200, false, pace, pod.baseUri().getAuthority()),
                new Progress(new PrintStream(OutputStream.nullOutputStream()))));
        if (isWatched) {
            browser.run("location.hash = '#/sales/' + args[0]", id);
            browser.await("h1", "A rush");
            browser.await(".chart", "Units left");
            browser.run(WATCH);
        }
        long began = System.nanoTime();
        Duration before = pod.cpuTime();
        RushReport report = rush.join();
        Duration used = pod.cpuTime().minus(before);
        double share = (double) used.toNanos() / (System.nanoTime() - began);
        System.out.printf("%-10s %.1f %% of a core; %s%n", id, 100 * share,
                report.addsUp() ? "the books add up" : report.text());
        if (isWatched) {
            reportUpdates();
        }
        return share;
    }

    private void reportUpdates() {
        Map<String, Object> updates = browser.run(
                "const seen = window.updates; location.hash = '#/blocklist'; return seen;");
        double max = ((Number) updates.get("max")).doubleValue();
        System.out.printf("           %s updates, the longest time between two %.0f ms%n",
                updates.get("count"), max);
        gapMaxMs = Math.max(gapMaxMs, max);
        lost += ((Number) updates.get("lost")).longValue();
    }
}
