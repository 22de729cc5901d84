package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rush.testing.Command;
import dev.rush.testing.Sources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Prometheus itself evaluates the alerts: they fire when they should and are silent otherwise. */
class AlertRulesTest {

    @TempDir
    Path folder;

    @BeforeEach
    void assumePromtool() {
        assumeTrue(Command.isInstalled("promtool"),
                "promtool is not on PATH (Debian: package prometheus): the alerts are not tested");
    }

    @Test
    void rulesAreValid() throws IOException {
        prepare("", "");

        Command check = promtool("check", "rules", folder.resolve("rules.yaml").toString());
        assertThat(check.status()).as(check.output()).isZero();
    }

    @ParameterizedTest
    @MethodSource("tests")
    void alertsFireAndAreSilentAsTheirTestsSay(Path tests) throws IOException {
        prepare("", "");

        Command test = test(tests);
        assertThat(test.status()).as(test.output()).isZero();
    }

    /** Mutates a threshold, the first sample of a counter, and the minimum number of calls. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "rush_ledger_lag_seconds) > 60 | rush_ledger_lag_seconds) > 0 | calm | RushLedgerLag",
        "rush_half_done_total unless | vector(0) unless | books | RushHalfDone",
        "' >= 10' | ' >= 0' | service | RushErrorsFast"})
    void testsNoticeAMistake(String good, String bad, String tests, String alert)
            throws IOException {
        prepare(good, bad);

        assertThat(test(Path.of(MetricRules.TESTS, tests + ".yaml")).output()).contains(alert);
    }

    static List<Path> tests() {
        return Sources.files(MetricRules.TESTS, ".yaml");
    }

    /** Extracts the rules from their Kubernetes objects and replaces a text in them. */
    private void prepare(String from, String to) throws IOException {
        ObjectNode rules = JsonNodeFactory.instance.objectNode();
        Sources.files("k8s/components/monitoring", "rules.yaml").forEach(file ->
                rules.withArray("groups").addAll((ArrayNode) Kustomize.parse(Sources.text(file))
                        .get(0).at("/spec/groups")));
        String groups = rules.toString().replace("\\n  ", " ");
        assertThat(groups).contains(from);
        Files.writeString(folder.resolve("rules.yaml"), groups.replace(from, to));
    }

    private Command test(Path tests) throws IOException {
        Path copy = Files.createDirectories(folder.resolve("tests")).resolve(tests.getFileName());
        Files.copy(tests, copy);
        return promtool("test", "rules", copy.toString());
    }

    private static Command promtool(String... words) {
        return Command.attempt(Map.of(), Stream.concat(Stream.of("promtool"), Stream.of(words))
                .toArray(String[]::new));
    }
}
