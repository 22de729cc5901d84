package dev.rush.packaging;

import static dev.rush.packaging.Packaging.each;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What is watched is there to be watched, and every alert is complete. */
final class MetricRules {

    static final String TESTS = "k8s/components/monitoring/tests/";
    private static final String RUNBOOKS = "docs/runbooks/";
    private static final String OPERATING = "docs/operating.md";
    static final String METRICS = "docs/reference/metrics.md";
    private static final Pattern METRIC = Pattern.compile("\\brush_[a-z][a-z_]*[a-z]\\b");
    private static final Pattern RUNBOOK_URL = Pattern.compile("https://.+/([^/]+[.]md)");
    /** The names of pages that no alert leads to: how to do what is planned. */
    private static final String PLANNED = RUNBOOKS + "rotate-";

    private static final Pattern IGNORED = Pattern.compile(
            "\\{[^}]*\\}|\\[[^\\]]*\\]|\\b(by|without|on|ignoring)\\s*\\([^)]*\\)"
            + "|\\boffset\\s+\\w+|\\b\\d[\\w.]*");

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
        Set<String> known = new HashSet<>(MetricNames.series());
        known.addAll(records(packaging));
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

    /** Documents name nothing but metrics of the service, and metrics.md names all of them. */
    static Stream<String> documented(Packaging packaging) {
        Set<String> known = MetricNames.series();
        return Stream.concat(
                Stream.concat(pages(packaging), Stream.of(OPERATING, METRICS))
                        .flatMap(page -> METRIC.matcher(packaging.file(page)).results()
                                .map(MatchResult::group)
                                .filter(name -> known.stream().noneMatch(series ->
                                        series.equals(name) || series.startsWith(name + "_")))
                                .map(name -> page + " names " + name + ", which is no metric")),
                MetricNames.OWN.stream()
                        .filter(name -> !packaging.file(METRICS).contains("`" + name + "`"))
                        .map(name -> METRICS + " does not explain " + name));
    }

    /** The series that rules make of others. */
    static Set<String> records(Packaging packaging) {
        return rules(packaging).map(rule -> rule.path("record").asText())
                .filter(name -> !name.isEmpty()).collect(Collectors.toSet());
    }

    /** Every query of alerts and dashboard. */
    static Stream<String> queries(Packaging packaging) {
        return Stream.concat(dashboard(packaging),
                rules(packaging).map(rule -> rule.path("expr").asText()));
    }

    /** An alert says how bad it is, what happened and what to do; tests fire and silence it. */
    private static Stream<String> alerts(JsonNode alert, Packaging packaging) {
        String name = alert.path("alert").asText();
        return Stream.of(
                alert.at("/labels/severity").asText().matches("critical|warning") ? "" : "severity",
                alert.at("/annotations").has("summary") ? "" : "summary",
                alert.at("/annotations").has("description") ? "" : "description",
                runbook(alert).equals(name + ".md") ? "" : "runbook_url",
                packaging.paths(RUNBOOKS, name + ".md").findAny().isPresent() ? "" : "runbook",
                tested(packaging, name, true) ? "" : "test that fires it",
                tested(packaging, name, false) ? "" : "test in which it is silent")
                .filter(part -> !part.isEmpty())
                .map(part -> name + " has no " + part);
    }

    static Stream<String> alertsComplete(Packaging packaging) {
        Set<String> names = alerts(packaging).map(alert -> alert.path("alert").asText() + ".md")
                .collect(Collectors.toSet());
        return names.isEmpty() ? Stream.empty() : Stream.concat(
                alerts(packaging).flatMap(alert -> alerts(alert, packaging)),
                pages(packaging)
                        .filter(page -> !names.contains(page.substring(RUNBOOKS.length())))
                        .map(page -> page + " is the page of no alert"));
    }

    /** The pages of alerts. */
    private static Stream<String> pages(Packaging packaging) {
        return packaging.paths(RUNBOOKS, ".md")
                .filter(page -> !page.startsWith(PLANNED) && !page.endsWith("/README.md"));
    }

    private static String runbook(JsonNode alert) {
        Matcher url = RUNBOOK_URL.matcher(alert.at("/annotations/runbook_url").asText());
        return url.matches() ? url.group(1) : "";
    }

    /** Whether a test asks for the alert and finds it firing, or finds it silent. */
    private static boolean tested(Packaging packaging, String alert, boolean fires) {
        return tests(packaging).flatMap(test -> each(test.path("promql_expr_test")))
                .filter(check -> check.path("expr").asText()
                        .contains("ALERTS{alertname=\"" + alert + "\","))
                .anyMatch(check -> each(check.path("exp_samples")).findAny().isPresent() == fires);
    }

    /** Every unit test of the rules. */
    static Stream<JsonNode> tests(Packaging packaging) {
        return packaging.paths(TESTS, ".yaml")
                .flatMap(path -> Kustomize.parse(packaging.file(path)).stream())
                .flatMap(file -> each(file.path("tests")));
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
