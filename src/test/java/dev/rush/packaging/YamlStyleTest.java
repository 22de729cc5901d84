package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The manifests are YAML as yamllint wants it, by the settings in .yamllint.yaml. */
class YamlStyleTest {

    @Test
    void yamllintFindsNothing() {
        assumeTrue(Command.present("yamllint"),
                "yamllint is not on PATH: the style of the manifests is not checked");

        Command check = Command.attempt(Map.of(), "yamllint", "--strict",
                "--config-file", ".yamllint.yaml", "k8s", ".yamllint.yaml");

        assertThat(check.output()).isEmpty();
        assertThat(check.status()).isZero();
    }
}
