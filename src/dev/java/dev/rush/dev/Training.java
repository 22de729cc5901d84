package dev.rush.dev;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Lets Java keep what it learns of the service's classes in one life with real servers: it starts,
 * sells, pays out, stores orders and ends ({@link Practice}). Of a start without servers Java would
 * not know what stands between it and the first purchase: calls to Redis, the ledger's driver and
 * migration, answers. What is kept serves the same jar at the same path on the same Java only.
 */
public final class Training {
    private static final int AOT_CACHE_SINCE = 25;
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private Training() {
    }

    /** {@code Training <jar> <kept> <options>}: writes the option that uses it to a file. */
    public static void main(String[] args) throws IOException, InterruptedException {
        String option = keep(Path.of(System.getProperty("java.home")), Path.of(args[0]),
                Path.of(args[1]));
        Files.writeString(Path.of(args[2]), option + "\n");
    }

    /**
     * Trains once and returns the option with which later starts use what was kept.
     *
     * @param javaHome the Java that starts the jar, now and later
     * @param kept where it writes what it keeps
     */
    public static String keep(Path javaHome, Path jar, Path kept)
            throws IOException, InterruptedException {
        boolean aot = version(javaHome) >= AOT_CACHE_SINCE;
        Files.deleteIfExists(kept);
        Path log = Files.createTempFile("rush-training-", ".log");
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                EmbeddedLedger ledger = EmbeddedLedger.start()) {
            int port = Ports.free();
            int managementPort = Ports.free();
            live(log, new Practice(port, managementPort), List.of(
                    javaHome.resolve("bin/java").toString(),
                    (aot ? "-XX:AOTCacheOutput=" : "-XX:ArchiveClassesAtExit=") + kept,
                    // On a large machine it would be one of 32 GB, of which none smaller can use
                    // what is kept.
                    "-Xmx512m",
                    "-Djava.util.logging.manager=org.jboss.logmanager.LogManager",
                    "-Dquarkus.http.host=127.0.0.1", "-Dquarkus.http.port=" + port,
                    "-Dquarkus.management.host=127.0.0.1",
                    "-Dquarkus.management.port=" + managementPort,
                    "-Dquarkus.shutdown.delay=0s", "-Drush.identity=header",
                    "-Drush.trust-identity-header=true",
                    "-Dquarkus.redis.hosts=" + redis.url(),
                    "-Dquarkus.datasource.jdbc.url=" + ledger.freshDatabase(),
                    "-jar", jar.toString()));
        }
        if (!Files.exists(kept)) {
            throw new IllegalStateException("Java kept nothing:\n" + Files.readString(log));
        }
        Files.delete(log);
        return (aot ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=") + kept;
    }

    private static void live(Path log, Practice practice, List<String> command)
            throws IOException, InterruptedException {
        Process service = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(log.toFile()).start();
        ParentWatchdog watchdog = ParentWatchdog.watch("TERM", service.pid(), null);
        try {
            practice.run();
        } catch (IOException | IllegalStateException e) {
            throw new IllegalStateException("The service said:\n" + Files.readString(log), e);
        } finally {
            // It writes what it keeps when it ends.
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
