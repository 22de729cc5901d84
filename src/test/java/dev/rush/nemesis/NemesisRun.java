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
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** One run: clients call while faults are injected; then everything is healed and checked. */
final class NemesisRun {
    private static final int PROGRESS_SECONDS = 5;

    private final Options options;
    private final List<Fault> faults;
    private final History history = new History();
    private final ScheduledExecutorService progress = Executors.newSingleThreadScheduledExecutor();
    private final Market market = new Market("n" + Long.toString(System.nanoTime() & 0xffffff, 36));

    NemesisRun(Options options) {
        this.options = options;
        faults = Faults.of(options.faults());
    }

    Report run() throws Exception {
        System.out.println("nemesis: " + options + ", " + faults);
        try (Topology topology = new Topology(
                Faults.needStandby(faults), options.durability())) {
            Calls calls = new Calls(history, topology::anyPod);
            FaultLoop loop = new FaultLoop(topology, history, faults, options.seed(),
                    () -> Healing.repair(topology, sales()));
            progress.scheduleAtFixedRate(() -> printProgress(loop),
                    PROGRESS_SECONDS, PROGRESS_SECONDS, TimeUnit.SECONDS);
            long end = history.now() + options.length().toNanos();
            try (Workload workload = new Workload(
                    calls, market, options.seed(), options.clients())) {
                loop.run(end);
                Thread.sleep(Math.max(0, (end - history.now()) / 1_000_000));
            }
            List<Offer> repaired = Healing.heal(topology, market.all());
            System.out.println("checking " + history.size() + " operations");
            Stored stored = Collector.collect(topology, market.all(), repaired);
            Findings findings = Checker.check(
                    history, loop.injected(), stored, options.durability());
            return new Report(options, history, loop.injected(),
                    repaired.size(), stored.missingCount(history), stored.lostCount(), findings);
        } finally {
            progress.shutdownNow();
        }
    }

    private List<Offer> sales() {
        return market.all().stream().filter(offer -> !offer.isRain()).toList();
    }

    private void printProgress(FaultLoop loop) {
        System.out.printf("%6.1f s  %,d operations: %,d ok, %,d refused, %,d unavailable, "
                + "%,d unknown; %d faults%n", history.now() / 1e9, history.size(),
                history.count(Outcome.OK), history.count(Outcome.REFUSED),
                history.count(Outcome.UNAVAILABLE), history.count(Outcome.UNKNOWN),
                loop.injected().size());
    }
}
