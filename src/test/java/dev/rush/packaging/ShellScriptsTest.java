package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The scripts of the Redis pods are plain sh, and all scripts mean what they say. */
class ShellScriptsTest {
    private static final Path SCRIPTS = Path.of("k8s/redis/scripts");

    static List<Path> scripts() throws IOException {
        try (Stream<Path> files = Files.list(SCRIPTS)) {
            return files.sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void parses(Path script) {
        Command.run("sh", "-n", script.toString());
    }

    @Test
    void shellcheckFindsNothing() {
        assumeTrue(Command.present("shellcheck"), "shellcheck is not on PATH");

        Command check = Command.attempt(Map.of(), "shellcheck", "--external-sources",
                "--source-path=" + SCRIPTS, "--exclude=SC1091",
                SCRIPTS + "/create.sh", SCRIPTS + "/prestop.sh", SCRIPTS + "/ready.sh",
                SCRIPTS + "/start.sh", SCRIPTS + "/lib.sh", "bench/faults", "bench/footprint",
                "bench/image", "bench/throughput", "examples/shop/run");

        assertThat(check.output()).isEmpty();
    }
}
