package dev.rush;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rush.testing.Command;
import dev.rush.testing.Npm;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Known linters find nothing in the shell scripts, the manifests and the API's documents. */
class LintersTest {

    @Test
    void shellcheckFindsNothing() {
        // Except in k8s, scripts are recognised by their first line.
        List<String> scripts = Command.run("sh", "-c", "ls k8s/redis/scripts/*; grep -rlIE"
                + " '^#!.*[/ ](ba|da)?sh( |$)' --exclude-dir=target bench .ci examples")
                .output().lines().toList();
        assertThat(scripts).hasSizeGreaterThan(14).contains(".ci/run", "examples/shop/run");

        assertFindsNothing("shellcheck", "--external-sources --source-path=k8s/redis/scripts"
                + " --exclude=SC1091 " + String.join(" ", scripts));
    }

    @Test
    void yamllintFindsNothing() {
        assertFindsNothing("yamllint", "--strict --config-file .yamllint.yaml k8s .yamllint.yaml");
    }

    private static void assertFindsNothing(String linter, String arguments) {
        assumeTrue(Command.isInstalled(linter), linter + " is not on PATH");
        Command ended = Command.attempt(Map.of(), (linter + " " + arguments).split(" "));
        assertThat(ended.output()).isEmpty();
        assertThat(ended.status()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"openapi", "asyncapi"})
    void redoclyFindsNothing(String document) {
        Npm.assumeInstalled();

        Command check = Npm.run("redocly", "lint", "--format=summary",
                "--config", "docs/reference/redocly.yaml",
                "docs/reference/" + document + ".yaml");

        assertThat(check.status()).as(check.output()).isZero();
        assertThat(check.output()).doesNotContain("error ", "warning ");
    }
}
