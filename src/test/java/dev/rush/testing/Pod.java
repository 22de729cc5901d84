package dev.rush.testing;

import dev.rush.dev.Launch;
import dev.rush.dev.ParentWatchdog;
import dev.rush.dev.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The packaged service in its own process: the jar or native executable of the system property
 * {@code rush.executable}. It listens on free loopback ports, trusts the identity headers, keeps
 * orders only in Redis, gives a purchase ten seconds so that no test fails on a busy machine, logs
 * to {@code target/pods-<fork>/<name>.log} and never outlives this JVM. Properties may override
 * this; an empty one is omitted, one in capitals is an environment variable, and
 * {@link #EXECUTABLE} names another executable.
 */
public final class Pod implements AutoCloseable {
    /** The jar or native executable that is started. */
    public static final String EXECUTABLE = "rush.executable";
    /** Option of a JVM. Test pods have level 1; benches set 4, as in production. */
    public static final String COMPILER_LEVEL = "-XX:TieredStopAtLevel";
    /** Option of a JVM. Without it, the young generation is small: each new page costs a fault. */
    public static final String NEW_RATIO = "-XX:NewRatio";
    private static final Duration READY_LIMIT = Patience.of(Duration.ofSeconds(30));
    private static final Duration END_LIMIT = Patience.of(Duration.ofSeconds(60));
    private static final Duration ANSWER_LIMIT = Patience.of(Duration.ofSeconds(2));
    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1).connectTimeout(ANSWER_LIMIT).build();

    private final int port = Ports.free();
    private final int managementPort = Ports.free();
    private final String name;
    private final Path log;
    private final Process process;
    private final ParentWatchdog watchdog;

    private Pod(String name, Map<String, String> config) throws IOException {
        this.name = name;
        log = Fork.folder("pods").resolve(name + ".log");
        Files.createDirectories(log.getParent());
        ProcessBuilder builder = new ProcessBuilder(command(config)).redirectErrorStream(true);
        builder.redirectOutput(log.toFile());
        config.forEach((key, value) -> {
            if (isVariable(key)) {
                builder.environment().put(key, value);
            }
        });
        process = builder.start();
        watchdog = ParentWatchdog.watch("TERM", process.pid(), null);
    }

    /**
     * Starts a pod and returns when it is ready.
     *
     * @param name of its log; a log of the same name is replaced
     * @param config properties that override those of this class
     */
    public static Pod start(String name, Map<String, String> config) {
        Pod pod = launch(name, config);
        try {
            pod.awaitReady();
            return pod;
        } catch (RuntimeException | Error e) {
            boolean portTaken = !pod.alive() && pod.log().contains("Address already in use");
            pod.close();
            if (!portTaken) {
                throw e;
            }
        }
        // Another program took a port after it was found free.
        Pod second = launch(name, config);
        second.awaitReady();
        return second;
    }

    /** Starts a pod without waiting for it. */
    public static Pod launch(String name, Map<String, String> config) {
        try {
            return new Pod(name, config);
        } catch (IOException e) {
            throw new UncheckedIOException("the pod " + name + " did not start", e);
        }
    }

    /** Waits until the pod is ready; fails immediately if it ends. */
    public void awaitReady() {
        Await.until(this + " is ready", READY_LIMIT, () -> !alive() || ready(), this::log);
        if (!alive()) {
            throw new AssertionError(this + " ended with " + process.exitValue() + "\n" + log());
        }
    }

    /** Returns whether {@code /q/health/ready} is 200 now. */
    public boolean ready() {
        return health("ready") == 200;
    }

    /** Returns the status of {@code /q/health/<check>}; 0 without an answer. */
    public int health(String check) {
        try {
            return CLIENT.send(request("/q/health/" + check), BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException e) {
            return 0;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the body of {@code /q/health/<check>}; empty without an answer. */
    public String healthReport(String check) {
        try {
            return CLIENT.send(request("/q/health/" + check), BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns {@code /q/metrics} as text. */
    public String metrics() {
        try {
            return CLIENT.send(request("/q/metrics"), BodyHandlers.ofString()).body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Returns the sum of a metric's samples whose labels contain each text; 0 if there are none.
     */
    public double metric(String metric, String... labels) {
        return metrics().lines()
                .filter(line -> line.startsWith(metric + "{") || line.startsWith(metric + " "))
                .filter(line -> List.of(labels).stream().allMatch(line::contains))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** Returns the address of the HTTP interface, without a slash at the end. */
    public URI baseUri() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** Returns the address of the management interface, without a slash at the end. */
    public URI managementUri() {
        return URI.create("http://127.0.0.1:" + managementPort);
    }

    /** Returns a client of this pod. */
    public Api api() {
        return new Api(baseUri());
    }

    /** Returns the CPU time that the process has used. */
    public Duration cpuTime() {
        return process.info().totalCpuDuration().orElseThrow();
    }

    /** Returns the pid. */
    public long pid() {
        return process.pid();
    }

    /** Returns whether the process exists. */
    public boolean alive() {
        return process.isAlive();
    }

    /** Returns what the pod has logged so far. */
    public String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the process (SIGKILL). */
    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** Stops the process cleanly (SIGTERM) and returns its exit code. */
    public int terminate() {
        process.destroy();
        return awaitEnd();
    }

    /** Waits until the process has ended and returns its exit code. */
    public int awaitEnd() {
        try {
            if (!process.waitFor(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError(this + " did not end\n" + log());
            }
            watchdog.release();
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Kills the process; a test of a clean shutdown calls {@link #terminate}. */
    @Override
    public void close() {
        kill();
    }

    @Override
    public String toString() {
        return "pod " + name + " (pid " + pid() + ")";
    }

    /** Whether a key is an environment variable rather than a property. */
    private static boolean isVariable(String key) {
        return key.matches("[A-Z0-9_]+");
    }

    private List<String> command(Map<String, String> config) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("quarkus.profile", "prod");
        all.put("quarkus.http.host", "127.0.0.1");
        all.put("quarkus.http.port", Integer.toString(port));
        all.put("quarkus.management.host", "127.0.0.1");
        all.put("quarkus.management.port", Integer.toString(managementPort));
        all.put("rush.identity", "header");
        all.put("rush.trust-identity-header", "true");
        all.put("rush.orders.sink", "none");
        all.put("rush.deadline", "PT10S");
        all.putAll(config);
        all.values().removeIf(String::isEmpty);
        all.keySet().removeIf(key -> isVariable(key) || key.equals(EXECUTABLE));
        List<String> properties = all.entrySet().stream()
                .map(e -> (e.getKey().startsWith("-XX:") ? "" : "-D") + e.getKey()
                        + (e.getKey().startsWith("-XX:+") ? "" : "=" + e.getValue())).toList();
        String executable = config.getOrDefault(EXECUTABLE,
                System.getProperty(EXECUTABLE, "target/quarkus-app/quarkus-run.jar"));
        List<String> command = new ArrayList<>();
        if (executable.endsWith(".jar")) {
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.add("-Xmx512m");
            // Test pods live for seconds; C2 would spend two of them compiling.
            command.add(COMPILER_LEVEL + "=1");
            // In a container's memory Java chooses it too; on a large machine it would choose G1.
            command.add("-XX:+UseSerialGC");
            if (!config.containsKey(NEW_RATIO)) {
                command.add("-Xmn24m");
            }
            command.addAll(options(executable));
            command.addAll(properties);
            // LayoutIT's next release starts as in Dockerfile.jvm, so that this is tested too.
            command.addAll(config.containsKey(EXECUTABLE) ? List.of("-jar", executable)
                    : Launch.arguments(Path.of(executable)));
        } else {
            command.add(executable);
            command.addAll(properties);
        }
        return command;
    }

    /** The options that use the archive of {@code dev.rush.dev.Training}, if there is one. */
    private static List<String> options(String executable) {
        String options = System.getProperty(EXECUTABLE + ".options");
        try {
            return options != null && executable.equals(System.getProperty(EXECUTABLE))
                    && isNewer(Path.of(options), Path.of(executable))
                    ? Files.readAllLines(Path.of(options)) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether a file exists and is newer than another: an archive of an older jar is useless. */
    private static boolean isNewer(Path file, Path other) throws IOException {
        return Files.exists(file) && Files.getLastModifiedTime(file)
                .compareTo(Files.getLastModifiedTime(other)) >= 0;
    }

    private HttpRequest request(String path) {
        return HttpRequest.newBuilder(URI.create(managementUri() + path))
                .timeout(ANSWER_LIMIT).build();
    }
}
