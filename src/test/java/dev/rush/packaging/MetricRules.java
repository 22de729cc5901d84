package dev.rush.packaging;

import static dev.rush.packaging.Packaging.each;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What is watched is there to be watched, and every alert is complete. */
final class MetricRules {

    private static final String TESTS = "k8s/components/monitoring/rules-test.yaml";

    private static final Pattern IGNORED = Pattern.compile(
            "\\{[^}]*\\}|\\[[^\\]]*\\]|\\b(by|without|on|ignoring)\\s*\\([^)]*\\)");

    /** A name that is not a function: no parenthesis follows. */
    private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][\\w:]*+(?!\\s*\\()");

    private static final Set<String> WORDS =
            Set.of("by", "without", "on", "ignoring", "and", "or", "unless", "offset", "bool");

    private MetricRules() {
    }

    /** Queries name nothing but metrics of the service, and miss none of its own. */
    static Stream<String> names(Packaging packaging) {
        if (packaging.all("PrometheusRule").findAny().isEmpty()) {
            return Stream.empty();
        }
        Set<String> known = MetricNames.series();
        Set<String> used = queries(packaging)
                .flatMap(MetricRules::metrics)
                .collect(Collectors.toSet());
        return Stream.concat(
                used.stream().filter(name -> !known.contains(name))
                        .map(name -> "there is no metric " + name),
                MetricNames.OWN.stream()
                        .filter(name -> used.stream().noneMatch(series -> series.startsWith(name)))
                        .map(name -> "nobody looks at " + name));
    }

    /** Every query of alerts and dashboard. */
    static Stream<String> queries(Packaging packaging) {
        return Stream.concat(dashboard(packaging),
                alerts(packaging).map(alert -> alert.path("expr").asText()));
    }

    /** An alert says how bad it is, what happened and what to do, and a test fires it. */
    static Stream<String> alerts(JsonNode alert, String tests) {
        String name = alert.path("alert").asText();
        return Stream.of(
                alert.at("/labels/severity").asText().matches("critical|warning") ? "" : "severity",
                alert.at("/annotations").has("summary") ? "" : "summary",
                alert.at("/annotations").has("description") ? "" : "description",
                tests.contains("alertname: " + name + "\n") ? "" : "test")
                .filter(part -> !part.isEmpty())
                .map(part -> name + " has no " + part);
    }

    static Stream<String> alertsComplete(Packaging packaging) {
        return alerts(packaging).flatMap(alert -> alerts(alert, packaging.file(TESTS)));
    }

    static Stream<String> metrics(String query) {
        return NAME.matcher(IGNORED.matcher(query).replaceAll("")).results()
                .map(MatchResult::group)
                .filter(name -> !WORDS.contains(name));
    }

    static Stream<JsonNode> alerts(Packaging packaging) {
        return packaging.all("PrometheusRule")
                .flatMap(rule -> each(rule.at("/spec/groups")))
                .flatMap(group -> each(group.path("rules")));
    }

    private static Stream<String> dashboard(Packaging packaging) {
        return packaging.find("ConfigMap", "rush-dashboard").stream()
                .map(map -> map.at("/data").path("dashboard.json").asText())
                .flatMap(json -> Kustomize.parse(json).stream())
                .flatMap(board -> each(board.path("panels")))
                .flatMap(panel -> each(panel.path("targets")))
                .map(target -> target.path("expr").asText());
    }
}
