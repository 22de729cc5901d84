package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The scripts of the Redis pods are plain sh, and shellcheck finds nothing in any script. */
class ShellScriptsTest {
    private static final Path SCRIPTS = Path.of("k8s/redis/scripts");
    /** Folders in which shell scripts are recognised by their first line. */
    private static final List<String> FOLDERS = List.of("bench", ".ci", "examples");
    private static final Pattern SHEBANG = Pattern.compile("^#!\\s*\\S*[/ ](ba|da)?sh\\b");
    private static final int SHEBANG_MAX = 64;
    private static final Path TARGET = Path.of("target");

    static List<Path> scripts() throws IOException {
        try (Stream<Path> files = Files.list(SCRIPTS)) {
            return files.sorted().toList();
        }
    }

    private static List<Path> shellScripts(String folder) throws IOException {
        try (Stream<Path> files = Files.walk(Path.of(folder))) {
            return files.filter(Files::isRegularFile).filter(ShellScriptsTest::isSource)
                    .filter(ShellScriptsTest::hasShebang).sorted().toList();
        }
    }

    private static boolean isSource(Path file) {
        for (Path name : file) {
            if (name.equals(TARGET)) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasShebang(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            String begin = new String(in.readNBytes(SHEBANG_MAX), StandardCharsets.ISO_8859_1);
            return SHEBANG.matcher(begin).find();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void parses(Path script) {
        Command.run("sh", "-n", script.toString());
    }

    @Test
    void shellcheckFindsNothing() throws IOException {
        assumeTrue(Command.isInstalled("shellcheck"), "shellcheck is not on PATH");

        List<String> words = new ArrayList<>(List.of("shellcheck", "--external-sources",
                "--source-path=" + SCRIPTS, "--exclude=SC1091"));
        scripts().forEach(script -> words.add(script.toString()));
        for (String folder : FOLDERS) {
            List<Path> found = shellScripts(folder);
            assertThat(found).as("shell scripts in %s", folder).isNotEmpty();
            found.forEach(script -> words.add(script.toString()));
        }
        Command check = Command.attempt(Map.of(), words.toArray(String[]::new));

        assertThat(check.output()).isEmpty();
    }
}
