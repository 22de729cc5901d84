package dev.rush.packaging;

import static dev.rush.packaging.Packaging.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Queries use existing metrics, and every alert is complete. */
final class MetricRules {

    static final String TESTS = "k8s/components/monitoring/tests/";
    private static final String RUNBOOKS = "docs/runbooks/";
    static final String OPERATING = "docs/operating.md";
    static final String METRICS = "docs/reference/metrics.md";
    private static final Pattern METRIC = Pattern.compile("\\brush_[a-z][a-z_]*[a-z]\\b");
    /** A row of the reference; its groups are name, type and labels. */
    static final Pattern ROW = Pattern.compile(
            "(?m)^\\| `(rush_\\w+)` \\| (\\w+) \\| [^|]+ \\|([^|]*)\\|");
    /** Metrics of Quarkus that a query may use. */
    private static final Map<String, String> STANDARD = Map.of(
            "http_server_requests_seconds", "summary", "http_server_active_requests", "gauge");
    /** Prefix of the pages on planned work, which belong to no alert. */
    private static final String PLANNED = RUNBOOKS + "rotate-";

    private static final Pattern IGNORED = Pattern.compile(
            "\\{[^}]*\\}|\\[[^\\]]*\\]|\\b(by|without|on|ignoring)\\s*\\([^)]*\\)"
            + "|\\boffset\\s+\\w+|\\b\\d[\\w.]*");

    /** A name without a parenthesis after it, which would make it a function. */
    private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][\\w:]*+(?!\\s*\\()");

    private static final Set<String> WORDS =
            Set.of("by", "without", "on", "ignoring", "and", "or", "unless", "offset", "bool");

    private MetricRules() {
    }

    /** Queries use only known metrics, and every metric of the service is queried. */
    static void names(Packaging packaging, Findings findings) {
        if (rules(packaging).findAny().isPresent()) {
            Set<String> known = new HashSet<>(series(packaging));
            known.addAll(records(packaging));
            Set<String> used = queries(packaging).flatMap(MetricRules::metrics)
                    .collect(Collectors.toSet());
            used.forEach(name -> findings.demand(known.contains(name),
                    "queries the unknown metric " + name));
            types(packaging).keySet().forEach(name -> findings.demand(
                    used.stream().anyMatch(series -> series.startsWith(name)),
                    "no query uses " + name));
        }
    }

    /** Documents name only metrics of the service. */
    static void documented(Packaging packaging, Findings findings) {
        Set<String> known = series(packaging);
        Stream.concat(pages(packaging), Stream.of(OPERATING, METRICS)).forEach(page ->
                METRIC.matcher(packaging.file(page)).results().map(MatchResult::group)
                        .forEach(name -> findings.demand(known.stream().anyMatch(series ->
                                series.equals(name) || series.startsWith(name + "_")),
                                page + " names the unknown metric " + name)));
    }

    /** Returns the types of the service's metrics, which MetricsIT compares with those of a pod. */
    private static Map<String, String> types(Packaging packaging) {
        return ROW.matcher(packaging.file(METRICS)).results()
                .collect(Collectors.toMap(row -> row.group(1), row -> row.group(2)));
    }

    /** Returns every series that a query may use. */
    private static Set<String> series(Packaging packaging) {
        return Stream.of(types(packaging), STANDARD).flatMap(types -> types.entrySet().stream())
                .flatMap(metric -> endings(metric.getValue()).map(metric.getKey()::concat))
                .collect(Collectors.toSet());
    }

    private static Stream<String> endings(String type) {
        return switch (type) {
            case "histogram" -> Stream.of("_bucket", "_count", "_sum", "_max");
            case "summary" -> Stream.of("_count", "_sum", "_max");
            default -> Stream.of("");
        };
    }

    /** Returns the series that recording rules produce. */
    static Set<String> records(Packaging packaging) {
        return rules(packaging).map(rule -> rule.path("record").asText())
                .filter(name -> !name.isEmpty()).collect(Collectors.toSet());
    }

    /** Returns every query of rules and dashboard. */
    static Stream<String> queries(Packaging packaging) {
        return Stream.concat(dashboard(packaging),
                rules(packaging).map(rule -> rule.path("expr").asText()));
    }

    /** An alert has a severity, texts, a runbook, a test that fires it and one that does not. */
    private static void alert(JsonNode alert, Packaging packaging, Findings findings) {
        String name = alert.path("alert").asText();
        JsonNode notes = alert.path("annotations");
        findings.demand(alert.at("/labels/severity").asText().matches("critical|warning"),
                "severity");
        findings.demand(notes.has("summary") && notes.has("description"), "text");
        findings.demand(notes.path("runbook_url").asText().matches("https://.+/" + name + "[.]md")
                && packaging.files().containsKey(RUNBOOKS + name + ".md"), "runbook");
        findings.demand(isTested(packaging, name, true), "test in which it fires");
        findings.demand(isTested(packaging, name, false), "test in which it is silent");
    }

    static void alertsComplete(Packaging packaging, Findings findings) {
        Set<String> pages = alerts(packaging)
                .map(alert -> RUNBOOKS + alert.path("alert").asText() + ".md")
                .collect(Collectors.toSet());
        if (!pages.isEmpty()) {
            alerts(packaging).forEach(alert -> alert(alert, packaging,
                    findings.about(alert.path("alert").asText() + " has no")));
            pages(packaging).forEach(page -> findings.demand(pages.contains(page),
                    page + " belongs to no alert"));
        }
    }

    /** Returns the runbook pages of alerts. */
    private static Stream<String> pages(Packaging packaging) {
        return packaging.paths(RUNBOOKS, ".md")
                .filter(page -> !page.startsWith(PLANNED) && !page.endsWith("/README.md"));
    }

    /** Whether a test expects the alert to fire, or to be silent. */
    private static boolean isTested(Packaging packaging, String alert, boolean fires) {
        return tests(packaging).flatMap(test -> test.path("promql_expr_test").valueStream())
                .filter(check -> check.path("expr").asText()
                        .contains("ALERTS{alertname=\"" + alert + "\","))
                .anyMatch(check -> check.path("exp_samples").isEmpty() != fires);
    }

    /** Returns every unit test of the rules. */
    static Stream<JsonNode> tests(Packaging packaging) {
        return packaging.paths(TESTS, ".yaml")
                .flatMap(path -> Kustomize.parse(packaging.file(path)).stream())
                .flatMap(file -> file.path("tests").valueStream());
    }

    static Stream<String> metrics(String query) {
        return NAME.matcher(IGNORED.matcher(query).replaceAll("")).results()
                .map(MatchResult::group)
                .filter(name -> !WORDS.contains(name));
    }

    static Stream<JsonNode> alerts(Packaging packaging) {
        return rules(packaging).filter(rule -> rule.has("alert"));
    }

    private static Stream<JsonNode> rules(Packaging packaging) {
        return packaging.all("PrometheusRule")
                .flatMap(rule -> nodes(rule, "/spec/groups/*/rules/*").stream());
    }

    private static Stream<String> dashboard(Packaging packaging) {
        return packaging.find("ConfigMap", "rush-dashboard").stream()
                .map(map -> map.at("/data").path("dashboard.json").asText())
                .flatMap(json -> Kustomize.parse(json).stream())
                .flatMap(board -> nodes(board, "/panels/*/targets/*/expr").stream())
                .map(JsonNode::asText);
    }
}
