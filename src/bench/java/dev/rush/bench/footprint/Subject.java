package dev.rush.bench.footprint;

import dev.rush.dev.Launch;
import dev.rush.dev.Training;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A service in one of the forms in which it can be shipped.
 *
 * @param rush whether it is Rush, rather than the Spring peer
 * @param command the command up to its properties
 * @param last arguments after the properties of Rush
 * @param bytes the size to ship, without Java itself
 */
record Subject(String name, boolean rush, List<String> command, List<String> last, long bytes) {
    static final String NATIVE = "native executable";
    static final String FORMER = "former native executable";
    static final String JAVA = "Java, fast-jar";
    static final String TRAINED = "Java, trained";
    static final String SPRING = "Spring WebFlux, Lettuce";

    private static final Path SPRING_JAR = Path.of("bench", "spring", "target", "spring-peer.jar");
    private static final Path ARCHIVE = Path.of("target", "footprint", "classes");
    private static final String HEAP = "-Xmx512m";

    /** Returns the subjects in the properties {@code footprint.*}, and the peer if it is built. */
    static List<Subject> ofProperties() {
        List<Subject> subjects = new ArrayList<>();
        Path javaHome = Path.of(property("footprint.java", System.getProperty("java.home")));
        String java = javaHome.resolve("bin/java").toString();
        addExecutable(subjects, NATIVE, "footprint.executable");
        addExecutable(subjects, FORMER, "footprint.former");
        Path jar = Path.of(property("footprint.jar", "target/quarkus-app/quarkus-run.jar"));
        subjects.add(java(JAVA, java, jar, List.of()));
        Path trained = Path.of(property("footprint.trained", "none"));
        if (Files.exists(trained)) {
            subjects.add(java(TRAINED, java, trained, archiveOption(javaHome, trained)));
        }
        if (Files.exists(SPRING_JAR)) {
            subjects.add(new Subject(SPRING, false,
                    List.of(java, HEAP, "-jar", SPRING_JAR.toString()), List.of(),
                    size(SPRING_JAR, all -> true)));
        }
        return subjects;
    }

    private static void addExecutable(List<Subject> subjects, String name, String property) {
        Path executable = Path.of(property(property, "none"));
        if (Files.isExecutable(executable)) {
            subjects.add(new Subject(name, true, join(List.of(executable.toString()),
                    words("footprint.native-options")), List.of(), size(executable, all -> true)));
        }
    }

    private static Subject java(String name, String java, Path jar, List<String> options) {
        return new Subject(name, true, join(List.of(java, HEAP), options),
                options.isEmpty() ? List.of("-jar", jar.toString()) : Launch.arguments(jar),
                size(jar.toAbsolutePath().getParent(), all -> true));
    }

    /** Trains as src/main/docker/Dockerfile.trained does, and returns the option that uses it. */
    private static List<String> archiveOption(Path javaHome, Path jar) {
        try {
            Files.createDirectories(ARCHIVE.getParent());
            return List.of(Training.train(javaHome, jar, ARCHIVE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> words(String name) {
        String text = property(name, "");
        return text.isEmpty() ? List.of() : List.of(text.split(" "));
    }

    /** Reads a property, which Maven passes on empty if it is not set. */
    private static String property(String name, String fallback) {
        String value = System.getProperty(name, "");
        return value.isEmpty() ? fallback : value;
    }

    private static List<String> join(List<String> first, List<String> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    private static long size(Path path, Predicate<Path> counts) {
        try (Stream<Path> files = Files.walk(path)) {
            return files.filter(Files::isRegularFile).filter(counts)
                    .mapToLong(file -> file.toFile().length()).sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
