package dev.rush.bench.footprint;

import dev.rush.bench.Progress;
import dev.rush.bench.Quiet;
import dev.rush.bench.throughput.Command;
import dev.rush.bench.throughput.Driver;
import dev.rush.bench.throughput.Load;
import dev.rush.bench.throughput.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * {@code bench/footprint}: starts each form of the service in turn, again and again, buys as
 * soon as it sells, looks at its memory, and then drives purchases through each; prints medians.
 */
public final class Footprint {
    private static final Path LOGS = Path.of("target", "footprint");
    private static final int CONNECTIONS = 64;
    /** What is fresh compiles, connects and collects; then it is idle. */
    private static final int IDLE_MS = 3_000;
    private static final String BODY = "{\"items\":[{\"sku\":\"unit\",\"quantity\":1}]}";

    private final int starts = Integer.getInteger("footprint.starts", 7);
    private final int rounds = Integer.getInteger("footprint.rounds", 3);
    private final int seconds = Integer.getInteger("footprint.seconds", 8);
    private final int warmUp = Integer.getInteger("footprint.warm-up", 12);
    private final Progress progress = new Progress(System.out);
    private final List<Subject> subjects = Subject.ofProperties();
    private final Figures figures = new Figures();
    private final Counter counter;
    private int done;

    private Footprint(Counter counter) {
        this.counter = counter;
    }

    /** Measures what the system properties {@code footprint.*} describe. */
    public static void main(String[] args) throws IOException {
        String quiet = Quiet.sentence();
        boolean pinned = Command.canPin();
        try (Counter counter = new Counter()) {
            Footprint footprint = new Footprint(counter);
            footprint.measureStarts();
            if (pinned) {
                counter.moveAway();
            }
            footprint.measureLoads(pinned);
            String report = quiet + "\n\n" + footprint.report(pinned);
            System.out.print(report);
            Files.writeString(LOGS.resolve("footprint.md"), report);
        }
    }

    /** The first start of each finds cold files and does not count. */
    private void measureStarts() throws IOException {
        for (int start = 0; start <= starts; start++) {
            for (Subject subject : subjects) {
                show(subject);
                long began = System.nanoTime();
                try (Service service = launch(subject, false)) {
                    double millis = FirstPurchase.millis(began, service, counter.sale(),
                            counter.buyer());
                    double onProcessor = service.threadMillis();
                    pause();
                    if (start > 0) {
                        figures.add(subject, Figures.Kind.FIRST_MS, millis);
                        figures.add(subject, Figures.Kind.FIRST_CPU_MS, onProcessor);
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
                    FirstPurchase.millis(System.nanoTime(), service, counter.sale(),
                            counter.buyer());
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
                counter.open();
            }
        }
    }

    private Load.Outcome drive(Service service, int duration) {
        return Driver.drive(new Load(
                service.url() + "/v1/sales/" + counter.sale() + "/purchases", "post",
                counter.buyer() + "-", BODY), CONNECTIONS, duration);
    }

    private Service launch(Subject subject, boolean pinned) {
        return Service.launch(subject.name(), counter.port(),
                LOGS.resolve(subject.name().replaceAll("\\W+", "-") + ".log"),
                Command.onServiceCpu(counter.command(subject), pinned));
    }

    private String report(boolean pinned) {
        progress.clear();
        return String.format(Locale.ROOT,
                "%d starts; %d rounds of %d s after %d s, %d connections, %s%n%n%s",
                starts, rounds, seconds, warmUp, CONNECTIONS, pinned
                        ? "service on one processor, Redis and driver on the other"
                        : "nothing pinned", figures.table(subjects));
    }

    private void show(Subject subject) {
        progress.show(done++, (long) subjects.size() * (starts + 1 + rounds), subject.name());
    }

    private static void pause() {
        try {
            Thread.sleep(IDLE_MS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
