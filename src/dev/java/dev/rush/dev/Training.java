package dev.rush.dev;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Trains an AOT cache (or, before Java 25, an AppCDS archive) of the service: runs it with real
 * servers under a {@link TrainingWorkload}. A run without servers would miss the classes between
 * the start and the first purchase: Redis calls, the ledger's driver and migration, answers. The
 * archive works only for the same jar at the same path on the same Java, started with {@link
 * Launch#arguments}.
 */
public final class Training {
    private static final int AOT_CACHE_SINCE = 25;
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private Training() {
    }

    /**
     * {@code Training <jar> <archive> <options>}: writes the option that uses the archive to a
     * file.
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        String option = train(Path.of(System.getProperty("java.home")), Path.of(args[0]),
                Path.of(args[1]));
        Files.writeString(Path.of(args[2]), option + "\n");
    }

    /**
     * Trains once and returns the option with which later starts use the archive.
     *
     * @param javaHome the Java that starts the jar, now and later
     * @param archive the file to write
     */
    public static String train(Path javaHome, Path jar, Path archive)
            throws IOException, InterruptedException {
        boolean aot = version(javaHome) >= AOT_CACHE_SINCE;
        Files.deleteIfExists(archive);
        Path log = Files.createTempFile("rush-training-", ".log");
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                EmbeddedLedger ledger = EmbeddedLedger.start()) {
            int port = Ports.free();
            int managementPort = Ports.free();
            run(log, new TrainingWorkload(port, managementPort), command(jar,
                    javaHome.resolve("bin/java").toString(),
                    (aot ? "-XX:AOTCacheOutput=" : "-XX:ArchiveClassesAtExit=") + archive,
                    // The default heap of a large machine may reach 32 GB; no smaller heap could
                    // use its archive.
                    "-Xmx512m",
                    "-Dquarkus.http.host=127.0.0.1", "-Dquarkus.http.port=" + port,
                    "-Dquarkus.management.host=127.0.0.1",
                    "-Dquarkus.management.port=" + managementPort,
                    "-Dquarkus.shutdown.delay=0s", "-Drush.identity=header",
                    "-Drush.trust-identity-header=true",
                    "-Dquarkus.redis.hosts=" + redis.url(),
                    "-Dquarkus.datasource.jdbc.url=" + ledger.freshDatabase()));
        }
        if (!Files.exists(archive)) {
            throw new IllegalStateException("Java wrote no archive:\n" + Files.readString(log));
        }
        Files.delete(log);
        return (aot ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=") + archive;
    }

    private static List<String> command(Path jar, String... options) {
        return Stream.concat(Stream.of(options), Launch.arguments(jar).stream()).toList();
    }

    private static void run(Path log, TrainingWorkload workload, List<String> command)
            throws IOException, InterruptedException {
        Process service = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(log.toFile()).start();
        ParentWatchdog watchdog = ParentWatchdog.watch("TERM", service.pid(), null);
        try {
            workload.run();
        } catch (IOException | IllegalStateException e) {
            throw new IllegalStateException("The log of the service:\n" + Files.readString(log), e);
        } finally {
            // It writes the archive when it ends.
            service.destroy();
            if (!service.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                service.destroyForcibly();
            }
            watchdog.release();
        }
    }

    private static int version(Path javaHome) throws IOException {
        return Files.readAllLines(javaHome.resolve("release")).stream()
                .filter(line -> line.startsWith("JAVA_VERSION="))
                .map(line -> line.replaceAll("\\D*(\\d+).*", "$1"))
                .mapToInt(Integer::parseInt).findFirst().orElse(0);
    }
}
