package dev.rush.bench.footprint;

import dev.rush.bench.throughput.Service;
import dev.rush.dev.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Lets Java keep what it knows of the service's classes, as src/main/docker/Dockerfile.legacy-jar
 * does: by one start without a Redis. What is kept serves the same jar under the same path only.
 */
final class Training {
    private static final Path KEPT = Path.of("target", "footprint", "classes");
    private static final Path LOG = Path.of("target", "footprint", "training.log");
    private static final int AOT_CACHE_SINCE = 25;
    private static final int START_MS = 20_000;

    private Training() {
    }

    /** Trains once and returns the options with which later starts use what was kept. */
    static List<String> options(Path javaHome, Path jar, String heap) {
        boolean aot = version(javaHome) >= AOT_CACHE_SINCE;
        String keep = aot ? "-XX:AOTCacheOutput=" : "-XX:ArchiveClassesAtExit=";
        String use = aot ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=";
        try {
            Files.deleteIfExists(KEPT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        int port = Ports.free();
        try (Service service = Service.launch("training", port, LOG, List.of(
                javaHome.resolve("bin/java").toString(), heap, keep + KEPT,
                "-Dquarkus.http.port=" + port, "-Dquarkus.http.host=127.0.0.1",
                "-Dquarkus.management.port=" + Ports.free(), "-Dquarkus.shutdown.delay=0s",
                "-Dquarkus.redis.hosts=redis://127.0.0.1:1", "-Drush.orders.sink=none",
                "-Drush.identity=header", "-jar", jar.toString()))) {
            Thread.sleep(START_MS);
            service.end();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (!Files.exists(KEPT)) {
            throw new IllegalStateException("Java kept nothing: see " + LOG);
        }
        return List.of(use + KEPT);
    }

    private static int version(Path javaHome) {
        try {
            return Files.readAllLines(javaHome.resolve("release")).stream()
                    .filter(line -> line.startsWith("JAVA_VERSION="))
                    .map(line -> line.replaceAll("\\D*(\\d+).*", "$1"))
                    .mapToInt(Integer::parseInt).findFirst().orElse(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
