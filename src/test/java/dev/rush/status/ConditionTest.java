package dev.rush.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.rush.status.PodReport.Alarm;
import dev.rush.testing.Sources;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The alarms of pods are the alerts of Prometheus with a condition on one gauge. */
class ConditionTest {
    private static final List<Path> RULES = List.of(
            Path.of("k8s/components/monitoring/rules.yaml"),
            Path.of("k8s/components/monitoring/redis-rules.yaml"),
            Path.of("k8s/components/monitoring/event-rules.yaml"));
    /** One gauge of any label, compared with a number. */
    private static final Pattern SIMPLE = Pattern.compile(
            "(?:max|min)(?: by \\(\\w+\\) )?\\((rush_\\w+)(?:\\{[^}]*})?\\) (>|==) ([\\d.]+)");
    private static final double MORE = 0.5;

    private static Map<String, JsonNode> alerts() throws IOException {
        Map<String, JsonNode> alerts = new TreeMap<>();
        for (Path file : RULES) {
            new YAMLMapper().readTree(file.toFile()).findValues("rules").forEach(rules ->
                    rules.forEach(rule -> {
                        if (rule.has("alert")) {
                            alerts.put(rule.path("alert").asText(), rule);
                        }
                    }));
        }
        return alerts;
    }

    @Test
    @DisplayName("W1: each alarm has its alert's gauge, bound and severity, and none is left out")
    void alarmsAreTheAlerts() throws IOException {
        List<String> compared = new ArrayList<>();
        alerts().forEach((name, alert) -> {
            Matcher simple = SIMPLE.matcher(alert.path("expr").asText().trim());
            if (!simple.matches()) {
                return;
            }
            compared.add(name);
            Condition condition = Arrays.stream(Condition.values())
                    .filter(known -> known.alarm().equals(name)).findFirst().orElseThrow();
            assertThat(simple.group(1)).startsWith(condition.gauge().replace('.', '_'));
            assertThat(condition.severity()).isEqualTo(
                    alert.path("labels").path("severity").asText());
            double bound = Double.parseDouble(simple.group(3));
            boolean isEqual = simple.group(2).equals("==");
            assertThat(condition.isWrong(bound)).as(name).isEqualTo(isEqual);
            assertThat(condition.isWrong(bound + MORE)).as(name).isEqualTo(!isEqual);
        });
        assertThat(compared).containsExactlyInAnyOrderElementsOf(
                Arrays.stream(Condition.values()).map(Condition::alarm).toList());
    }

    @Test
    @DisplayName("W1: the console says what each alarm means")
    void theConsoleExplainsAlarms() {
        String page = Sources.text(Path.of("src/main/resources/pages/console/health.js"));
        assertThat(Arrays.stream(Condition.values()).map(Condition::alarm))
                .allSatisfy(alarm -> assertThat(page).contains("  " + alarm + ": ['"));
    }

    private static void gauge(SimpleMeterRegistry registry, String name, double value,
            String... tags) {
        Gauge.builder(name, () -> value).tags(tags).register(registry);
    }

    @Test
    @DisplayName("W1: an alarm names its subject; unknown and healthy values raise none")
    void alarmsNameTheirSubject() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        gauge(registry, "rush.ledger.dead.letters", 3);
        gauge(registry, "rush.ledger.lag", Double.NaN);
        gauge(registry, "rush.books.drift", 0);
        gauge(registry, "rush.sale.state", 1, "sale", "pears", "state", "open");
        gauge(registry, "rush.sale.state", 1, "sale", "apples", "state", "not-loaded");
        gauge(registry, "rush.redis.memory.used", 80, "master", "a:1");
        gauge(registry, "rush.redis.memory.max", 100, "master", "a:1");
        gauge(registry, "rush.redis.replicas", 2, "master", "a:1");
        gauge(registry, "rush.redis.memory.used", 80, "master", "b:1");
        gauge(registry, "rush.redis.memory.max", 0, "master", "b:1");

        Figures figures = new Figures(registry);
        assertThat(figures.alarms()).containsExactly(
                new Alarm("RushSaleNotLoaded", "critical", "apples", 1),
                new Alarm("RushDeadLetters", "warning", null, 3),
                new Alarm("RushRedisMemory", "warning", "a:1", 0.8));
        assertThat(figures.masters()).containsExactly(
                new PodReport.Master("a:1", 2L, 80L, 100L, null),
                new PodReport.Master("b:1", null, 80L, 0L, null));
        assertThat((Double) figures.value("rush.ledger.lag", value -> value)).isNull();
        assertThat((Long) figures.value("rush.ledger.dead.letters", Double::longValue))
                .isEqualTo(3);
    }
}
