package dev.rush.nemesis;

import dev.rush.nemesis.checker.Checker;
import dev.rush.nemesis.checker.Collector;
import dev.rush.nemesis.checker.Findings;
import dev.rush.nemesis.checker.Stored;
import dev.rush.nemesis.client.Calls;
import dev.rush.nemesis.client.History;
import dev.rush.nemesis.client.Market;
import dev.rush.nemesis.client.Offer;
import dev.rush.nemesis.client.Outcome;
import dev.rush.nemesis.client.Workload;
import dev.rush.nemesis.fault.Fault;
import dev.rush.nemesis.fault.Faults;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** One run: clients at work, faults meanwhile, healing, judgement. */
final class NemesisRun {
    private static final int PROGRESS_SECONDS = 5;

    private final long seed;
    private final Duration length;
    private final String choice;
    private final List<Fault> faults;
    private final int clients;
    private final History history = new History();
    private final ScheduledExecutorService progress = Executors.newSingleThreadScheduledExecutor();
    private final Market market = new Market("n" + Long.toString(System.nanoTime() & 0xffffff, 36));

    NemesisRun(long seed, Duration length, String faults, int clients) {
        this.seed = seed;
        this.length = length;
        this.clients = clients;
        choice = faults;
        this.faults = Faults.of(faults);
    }

    Report run() throws Exception {
        System.out.println("nemesis: seed " + seed + ", " + length.toSeconds() + " s, "
                + clients + " clients, " + faults);
        try (Topology topology = new Topology(Faults.wantStandby(faults))) {
            Calls calls = new Calls(history, topology::anyPod);
            FaultLoop loop = new FaultLoop(topology, history, faults, seed,
                    () -> Healing.repair(topology, sales()));
            progress.scheduleAtFixedRate(() -> show(loop), PROGRESS_SECONDS, PROGRESS_SECONDS,
                    TimeUnit.SECONDS);
            long until = history.now() + length.toNanos();
            try (Workload work = new Workload(calls, market, seed, clients)) {
                loop.run(until);
                Thread.sleep(Math.max(0, (until - history.now()) / 1_000_000));
            }
            List<Offer> repaired = Healing.heal(topology, market.all());
            System.out.println("the checker judges " + history.size() + " operations");
            Stored stored = Collector.collect(topology, market.all(), repaired);
            Findings findings = Checker.judge(history, loop.injected(), stored);
            return new Report(seed, length, choice, clients, history, loop.injected(),
                    repaired.size(), stored.lostCount(), findings);
        } finally {
            progress.shutdownNow();
        }
    }

    private List<Offer> sales() {
        return market.all().stream().filter(offer -> !offer.isRain()).toList();
    }

    private void show(FaultLoop loop) {
        System.out.printf("%6.1f s  %,d operations: %,d ok, %,d refused, %,d unavailable, "
                + "%,d unknown; %d faults%n", history.now() / 1e9, history.size(),
                history.count(Outcome.OK), history.count(Outcome.REFUSED),
                history.count(Outcome.UNAVAILABLE), history.count(Outcome.UNKNOWN),
                loop.injected().size());
    }
}
