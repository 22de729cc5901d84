package dev.rush.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.stream.Stream;

/** The npm programs of src/test/npm. Tests that need one are skipped if npm cannot install them. */
public final class Npm {
    /** Where they are installed; tests may write files here. */
    public static final Path FOLDER = Fork.folder("npm");

    private static final Path SOURCES = Path.of("src", "test", "npm");
    private static final Map<String, String> QUIETLY = Map.of(
            "REDOCLY_TELEMETRY", "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");

    private Npm() {
    }

    /** Installs the locked versions, or skips the test. */
    public static void assumeInstalled() {
        assumeTrue(Command.isInstalled("npm"),
                "npm is not on PATH: documents and manifests are not linted");
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
        assumeTrue(install.status() == 0, "npm cannot install src/test/npm: documents and "
                + "manifests are not linted\n" + install.output());
    }

    /** Runs an installed program, which may fail. */
    public static Command run(String program, String... arguments) {
        return Command.attempt(QUIETLY, Stream.concat(
                Stream.of(FOLDER.resolve("node_modules/.bin").resolve(program).toString()),
                Stream.of(arguments)).toArray(String[]::new));
    }
}
