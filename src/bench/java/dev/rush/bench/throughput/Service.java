package dev.rush.bench.throughput;

import dev.rush.dev.ParentWatchdog;
import dev.rush.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** One of the compared services: a process that ends with this JVM at the latest. */
public final class Service implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(90);
    private static final int END_SECONDS = 10;

    private final String name;
    private final int port;
    private final Process process;
    private final ParentWatchdog watchdog;

    private Service(String name, int port, Process process) {
        this.name = name;
        this.port = port;
        this.process = process;
        this.watchdog = ParentWatchdog.watch("TERM", process.pid(), null);
    }

    /** Starts a process and waits until it accepts connections. */
    static Service start(String name, int port, Path log, List<String> command) {
        Service service = launch(name, port, log, command);
        Await.until(name + " listens", START_LIMIT, () -> !service.alive() || service.listens());
        if (!service.alive()) {
            throw new IllegalStateException(name + " ended: see " + log);
        }
        return service;
    }

    /** Starts a process and returns at once. */
    public static Service launch(String name, int port, Path log, List<String> command) {
        try {
            Files.createDirectories(log.getParent());
            return new Service(name, port, new ProcessBuilder(command).redirectErrorStream(true)
                    .redirectOutput(log.toFile()).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether the process runs. */
    public boolean alive() {
        return process.isAlive();
    }

    String name() {
        return name;
    }

    /** Returns the base URL. */
    public String url() {
        return "http://127.0.0.1:" + port;
    }

    /** Returns the seconds of CPU time so far; 0 if the system does not report them. */
    public double cpuSeconds() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e9;
    }

    /** Returns the milliseconds of CPU time of its live threads, with finer resolution. */
    public double threadMillis() {
        Path tasks = Path.of("/proc", Long.toString(process.pid()), "task");
        try (Stream<Path> threads = Files.list(tasks)) {
            return threads.map(thread -> thread.resolve("schedstat"))
                    .mapToLong(Service::cpuNanos).sum() / 1e6;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long cpuNanos(Path schedstat) {
        try {
            return Long.parseLong(Files.readString(schedstat).split(" ")[0]);
        } catch (IOException e) {
            // The thread has just ended.
            return 0;
        }
    }

    /** Returns the resident memory in bytes. */
    public long residentBytes() {
        Path status = Path.of("/proc", Long.toString(process.pid()), "status");
        try (Stream<String> lines = Files.lines(status)) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).sum() * 1024;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        watchdog.release();
    }

    private boolean listens() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
