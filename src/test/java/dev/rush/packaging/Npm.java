package dev.rush.packaging;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rush.testing.Fork;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.stream.Stream;

/** The programs of src/test/npm. A test that needs one is skipped where npm cannot install it. */
final class Npm {
    /** Where they are installed, and files beside them may be made. */
    static final Path FOLDER = Fork.folder("npm");

    private static final Path SOURCES = Path.of("src", "test", "npm");
    private static final Map<String, String> QUIETLY = Map.of(
            "REDOCLY_TELEMETRY", "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");

    private Npm() {
    }

    /** Installs what the lock file names, or skips the test. */
    static void assumeInstalled() {
        assumeTrue(Command.present("npm"), "npm is not on PATH: no document is checked by "
                + "others' programs");
        try {
            Files.createDirectories(FOLDER);
            for (String name : new String[] {"package.json", "package-lock.json", "client.ts",
                "monokle.mjs"}) {
                Files.copy(SOURCES.resolve(name), FOLDER.resolve(name),
                        StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Command install = Command.attempt(Map.of(), "npm", "ci", "--prefix", FOLDER.toString(),
                "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline",
                "--fetch-retries=1", "--fetch-timeout=30000");
        assumeTrue(install.status() == 0, "npm cannot install src/test/npm: no document is "
                + "checked by others' programs\n" + install.output());
    }

    /** Runs an installed program. */
    static Command run(String program, String... words) {
        return Command.attempt(QUIETLY, Stream.concat(
                Stream.of(FOLDER.resolve("node_modules/.bin").resolve(program).toString()),
                Stream.of(words)).toArray(String[]::new));
    }
}
