package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The manifests are YAML as yamllint wants it, by the settings in .yamllint.yaml. */
class YamlStyleTest {

    @TempDir
    Path folder;

    @BeforeEach
    void assumeYamllint() {
        assumeTrue(Command.present("yamllint"),
                "yamllint is not on PATH: the style of the manifests is not checked");
    }

    @Test
    void yamllintFindsNothing() {
        Command check = yamllint("k8s", ".yamllint.yaml");

        assertThat(check.output()).isEmpty();
        assertThat(check.status()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"'a: 1\na: 2\n', key-duplicates", "'a:\n- b\n', indentation",
            "'a: yes\n', truthy", "'a:\n', empty-values", "'a:  1\n', colons",
            "'#a\nb: 1\n', comments"})
    void yamllintNoticesAMistake(String text, String rule) throws IOException {
        Path file = folder.resolve("mistake.yaml");
        Files.writeString(file, text.translateEscapes());

        Command check = yamllint(file.toString());

        assertThat(check.status()).isNotZero();
        assertThat(check.output()).contains("(" + rule + ")");
    }

    private static Command yamllint(String... paths) {
        String[] words = new String[paths.length + 4];
        System.arraycopy(new String[] {"yamllint", "--strict", "--config-file", ".yamllint.yaml"},
                0, words, 0, 4);
        System.arraycopy(paths, 0, words, 4, paths.length);
        return Command.attempt(Map.of(), words);
    }
}
