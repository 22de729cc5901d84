package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** yamllint finds nothing in the manifests, with the settings in .yamllint.yaml. */
class YamlStyleTest {

    @Test
    void yamllintFindsNothing() {
        assumeTrue(Command.isInstalled("yamllint"),
                "yamllint is not on PATH: the style of the manifests is not checked");

        Command check = Command.attempt(Map.of(), "yamllint", "--strict",
                "--config-file", ".yamllint.yaml", "k8s", ".yamllint.yaml");

        assertThat(check.output()).isEmpty();
        assertThat(check.status()).isZero();
    }
}
