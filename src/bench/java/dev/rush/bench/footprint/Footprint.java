package dev.rush.bench.footprint;

import dev.rush.bench.MachineLoad;
import dev.rush.bench.Progress;
import dev.rush.bench.throughput.Command;
import dev.rush.bench.throughput.Driver;
import dev.rush.bench.throughput.Load;
import dev.rush.bench.throughput.Service;
import dev.rush.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * {@code bench/footprint}: starts each subject repeatedly in turn, buys as soon as possible, and
 * reads the memory; then measures each under load. Prints medians.
 */
public final class Footprint {
    private static final Path LOGS = Path.of("target", "footprint");
    private static final int CONNECTIONS = 64;
    /** A fresh process compiles, connects and collects garbage for a while before it is idle. */
    private static final int SETTLE_MS = 3_000;
    private static final String BODY = "{\"items\":[{\"sku\":\"unit\",\"quantity\":1}]}";

    private final int starts = Integer.getInteger("footprint.starts", 7);
    private final int rounds = Integer.getInteger("footprint.rounds", 3);
    private final int seconds = Integer.getInteger("footprint.seconds", 8);
    private final int warmUp = Integer.getInteger("footprint.warm-up", 12);
    private final Progress progress = new Progress(System.out);
    private final List<Subject> subjects = Subject.ofProperties();
    private final Figures figures = new Figures();
    private final Fixture fixture;
    private int done;

    private Footprint(Fixture fixture) {
        this.fixture = fixture;
    }

    /** Measures what the system properties {@code footprint.*} describe. */
    public static void main(String[] args) throws IOException {
        String load = MachineLoad.before();
        boolean pinned = Command.canPin();
        try (Fixture fixture = new Fixture()) {
            Footprint footprint = new Footprint(fixture);
            footprint.measureStarts();
            if (pinned) {
                fixture.leaveServiceCpu();
            }
            footprint.measureLoads(pinned);
            String report = load + "\n\n" + footprint.report(pinned);
            System.out.print(report);
            Files.writeString(LOGS.resolve("footprint.md"), report);
        }
    }

    /** The first start of each subject reads cold files and does not count. */
    private void measureStarts() throws IOException {
        for (int start = 0; start <= starts; start++) {
            for (Subject subject : subjects) {
                show(subject);
                long began = System.nanoTime();
                try (Service service = launch(subject, false)) {
                    double millis = FirstPurchase.millis(began, service, fixture.sale(),
                            fixture.buyer());
                    double cpuMillis = service.threadMillis();
                    Await.sleep(SETTLE_MS);
                    if (start > 0) {
                        figures.add(subject, Figures.Kind.FIRST_MS, millis);
                        figures.add(subject, Figures.Kind.FIRST_CPU_MS, cpuMillis);
                        figures.add(subject, Figures.Kind.IDLE_BYTES, service.residentBytes());
                    }
                }
            }
        }
    }

    private void measureLoads(boolean pinned) throws IOException {
        for (int round = 0; round < rounds; round++) {
            for (Subject subject : subjects) {
                show(subject);
                try (Service service = launch(subject, pinned)) {
                    FirstPurchase.millis(System.nanoTime(), service, fixture.sale(),
                            fixture.buyer());
                    drive(service, warmUp);
                    double cpu = service.cpuSeconds();
                    Load.Outcome outcome = drive(service, seconds);
                    figures.add(subject, Figures.Kind.PER_SECOND, outcome.perSecond());
                    figures.add(subject, Figures.Kind.CPU_MICROS,
                            1e6 * (service.cpuSeconds() - cpu) / outcome.requests());
                    figures.add(subject, Figures.Kind.LOADED_BYTES, service.residentBytes());
                    figures.add(subject, Figures.Kind.P99_MS, outcome.p99Ms());
                    figures.add(subject, Figures.Kind.FAILED,
                            outcome.refused() + outcome.failed());
                }
                fixture.open();
            }
        }
    }

    private Load.Outcome drive(Service service, int duration) {
        return Driver.drive(new Load(
                service.url() + "/v1/sales/" + fixture.sale() + "/purchases", "post",
                fixture.buyer() + "-", BODY), CONNECTIONS, duration);
    }

    private Service launch(Subject subject, boolean pinned) {
        return Service.launch(subject.name(), fixture.port(),
                LOGS.resolve(subject.name().replaceAll("\\W+", "-") + ".log"),
                Command.onServiceCpu(fixture.command(subject), pinned));
    }

    private String report(boolean pinned) {
        progress.clear();
        return String.format(Locale.ROOT,
                "%d starts; %d rounds of %d s after %d s, %d connections, %s%n%n%s",
                starts, rounds, seconds, warmUp, CONNECTIONS, pinned
                        ? "service on one CPU, Redis and driver on the other"
                        : "nothing pinned", figures.table(subjects));
    }

    private void show(Subject subject) {
        progress.show(done++, (long) subjects.size() * (starts + 1 + rounds), subject.name());
    }
}
