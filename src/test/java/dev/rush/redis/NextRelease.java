package dev.rush.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Fork;
import dev.rush.testing.Sources;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * A made-up next release: the packaged service, changed as a developer would change it for another
 * layout. It knows this release's layout N−1 and one more, N, in which the line of an order in its
 * buyer's record has a tenth field. It writes the one that Redis names, and reads both. The scripts
 * of this release fail on a line of ten fields.
 */
final class NextRelease {

    /** This release's layout. */
    static final int PREVIOUS = Layout.newest();
    /** The layout that only the next release knows. */
    static final int NEXT = PREVIOUS + 1;
    /** The number of fields of a line in each layout. */
    static final int FIELDS_PREVIOUS = 9;
    static final int FIELDS_NEXT = 10;

    private static final String LAYOUT = "dev/rush/redis/Layout";
    private static final Path BUILT = Path.of("target", "quarkus-app");
    private static final Path FOLDER = Fork.folder("next-release");
    private static final Path SOURCE = Fork.folder("next-release-source");

    private NextRelease() {
    }

    /** Builds it and returns its jar. */
    static String build() {
        try {
            copy();
            try (Stream<Path> jars = Files.list(FOLDER.resolve("app"))) {
                change(jars.findFirst().orElseThrow());
            }
        } catch (IOException e) {
            throw new IllegalStateException("no next release", e);
        }
        return FOLDER.resolve("quarkus-run.jar").toString();
    }

    private static void copy() throws IOException {
        try (Stream<Path> files = Files.walk(BUILT)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = FOLDER.resolve(BUILT.relativize(file));
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private static void change(Path jar) throws IOException {
        try (FileSystem files = FileSystems.newFileSystem(
                URI.create("jar:" + jar.toUri()), Map.of())) {
            rewrite(files, "include/record.lua", "(%d+) (%d+) %d+$", "(%d+) (%d+) %d+ ?%l*$");
            rewrite(files, "lua/sale/purchase.lua", "format(' %s %d\\n', times, number + 1)",
                    "format(' %s %d%s\\n', times, number + 1, layout == '" + NEXT
                            + "' and ' tenth' or '')");
            Files.copy(compiled(), files.getPath(LAYOUT + ".class"),
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static void rewrite(FileSystem files, String path, String from, String to)
            throws IOException {
        Path file = files.getPath(path);
        Files.writeString(file, replaced(path, Files.readString(file), from, to));
    }

    private static String replaced(String what, String text, String from, String to) {
        assertThat(text).as("what the next release changes in %s", what).containsOnlyOnce(from);
        return text.replace(from, to);
    }

    /** Compiles {@link Layout} with one more layout. */
    private static Path compiled() throws IOException {
        Path source = SOURCE.resolve(LAYOUT + ".java");
        Files.createDirectories(source.getParent());
        Files.writeString(source, replaced(LAYOUT,
                Sources.text(Path.of("src/main/java", LAYOUT + ".java")),
                "int newest() {\n        return " + PREVIOUS + ";",
                "int newest() {\n        return " + NEXT + ";"));
        int failed = ToolProvider.getSystemJavaCompiler().run(null, null, null,
                List.of("-d", SOURCE.toString(), source.toString())
                        .toArray(String[]::new));
        assertThat(failed).as("compiling %s", source).isZero();
        return SOURCE.resolve(LAYOUT + ".class");
    }
}
