package dev.rush.dev;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How Java starts the service with an archive of its classes. */
public final class Launch {
    private static final String FAST_JAR = "quarkus-run.jar";
    private static final List<String> FOLDERS = List.of("quarkus", "app", "lib/boot", "lib/main");
    private static final String LOG_MANAGER =
            "-Djava.util.logging.manager=org.jboss.logmanager.LogManager";
    private static final String MAIN = "io.quarkus.runner.GeneratedMain";

    private Launch() {
    }

    /**
     * Returns the last arguments of {@code java}. Quarkus's class loader for a fast-jar reads each
     * class from its jar even if the archive has it, so Java's own class loader loads them. The
     * manifest's {@code Add-Opens}, which lets JBoss Threads clear thread-locals, does not apply.
     *
     * @param jar an uber-jar, or a fast-jar's {@code quarkus-run.jar} beside its libraries
     */
    public static List<String> arguments(Path jar) {
        return jar.endsWith(FAST_JAR)
                ? List.of(LOG_MANAGER, "-cp", classPath(jar.toAbsolutePath().getParent()), MAIN)
                : List.of(LOG_MANAGER, "-jar", jar.toString());
    }

    /** An archive is valid only for the same class path in the same order. */
    private static String classPath(Path folder) {
        return FOLDERS.stream().flatMap(name -> jars(folder.resolve(name)))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static Stream<String> jars(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(Path::toString).filter(file -> file.endsWith(".jar")).sorted()
                    .toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
