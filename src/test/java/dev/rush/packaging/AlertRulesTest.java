package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Alerts fire when they should and are silent otherwise, as Prometheus itself evaluates them. */
class AlertRulesTest {
    private static final Path MONITORING = Path.of("k8s/components/monitoring");

    @TempDir
    Path folder;

    @BeforeEach
    void assumePromtool() {
        assumeTrue(Command.present("promtool"),
                "promtool is not on PATH (Debian: package prometheus): alerts are not tried");
    }

    @Test
    void everyAlertFiresOnceAndCalmServiceIsSilent() throws IOException {
        prepare("");

        Command check = promtool("check", "rules", "rules.yaml");
        assertThat(check.status()).as(check.output()).isZero();
        Command test = promtool("test", "rules", "rules-test.yaml");
        assertThat(test.status()).as(test.output()).isZero();
    }

    @Test
    void calmServiceTestNoticesAnAlert() throws IOException {
        // Twenty seconds of lag are calm; with a threshold below them the silence is broken.
        prepare("rush_ledger_lag_seconds) > 60");

        assertThat(promtool("test", "rules", "rules-test.yaml").output()).contains("count(ALERTS)");
    }

    /** Takes the rules out of their Kubernetes object, and one threshold down to nothing. */
    private void prepare(String lowered) throws IOException {
        JsonNode object = new YAMLMapper().readTree(MONITORING.resolve("rules.yaml").toFile());
        String groups = new ObjectMapper().writeValueAsString(object.path("spec"));
        String changed = lowered.isEmpty() ? groups
                : groups.replace(lowered, lowered.replaceFirst("\\d+$", "0"));
        Files.writeString(folder.resolve("rules.yaml"), changed);
        Files.copy(MONITORING.resolve("rules-test.yaml"), folder.resolve("rules-test.yaml"));
    }

    private Command promtool(String... words) {
        words[words.length - 1] = folder.resolve(words[words.length - 1]).toString();
        String[] command = new String[words.length + 1];
        command[0] = "promtool";
        System.arraycopy(words, 0, command, 1, words.length);
        return Command.attempt(Map.of(), command);
    }
}
