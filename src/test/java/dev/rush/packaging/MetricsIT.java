package dev.rush.packaging;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.Sources;
import dev.rush.testing.TestRain;
import dev.rush.testing.TestSale;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A running pod exports every series that alerts and dashboard query (B3, X3). */
class MetricsIT {
    private static final Pattern SERIES = Pattern.compile("([a-zA-Z_:][\\w:]*)(\\{.*})? \\S+");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=(~?)\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern SELECTOR = Pattern.compile("([a-zA-Z_:][\\w:]*)\\{([^}]*)}");
    private static final Pattern GROUPED = Pattern.compile("\\bby\\s*\\(([^)]*)\\)");

    private static final Pattern INPUT = Pattern.compile("([a-zA-Z_:][\\w:]*)(?:\\{([^}]*)})?");
    private static final Pattern LABEL_NAME = Pattern.compile("`(\\w+)`");
    private static final Pattern TYPE = Pattern.compile("(?m)^# TYPE (\\w+) (\\w+)$");
    private static final Duration SOON = Duration.ofSeconds(60);

    /** Labels that Prometheus adds. */
    private static final Set<String> ADDED = Set.of("pod");
    /** Labels whose values differ between this test and the rules. */
    private static final Set<String> OTHER_VALUES =
            Set.of("server_port", "master", "sale", "webhook", "state", "role", "sink");

    /** Labels of each sample, by the name of its series. */
    private static Map<String, List<Map<String, String>>> series;
    /** Type by name of the metric. */
    private static Map<String, String> types;
    private static List<String> queries;
    private static Set<String> records;
    private static List<String> inputs;

    @BeforeAll
    static void captureAfterAPurchaseAndAGrab() {
        Packaging packaging = Kustomize.render("dev+monitoring");
        queries = MetricRules.queries(packaging).toList();
        records = MetricRules.records(packaging);
        inputs = MetricRules.tests(packaging)
                .flatMap(test -> test.path("input_series").valueStream())
                .map(input -> input.path("series").asText()).distinct().toList();
        // Only a cluster reports replicas.
        Environment environment = Environments.cluster();
        try (Pod pod = Environments.startPod("metrics", environment, Map.of(
                "rush.orders.sink", "both", "kafka.bootstrap.servers", "127.0.0.1:1",
                "rush.books.interval", "PT0.5S"))) {
            TestSale sale = TestSale.unknown(environment, pod.api());
            sale.prepare("apple:10:1", "");
            is(201, sale.buy("ada", "apple"));
            TestRain rain = TestRain.unknown(environment).through(pod.api());
            is(201, rain.prepare(TestRain.listed("", 5, 7)));
            is(201, rain.grab("ada"));
            is(201, pod.api().asOperator().put("/v1/webhooks/nowhere", json("{'url':"
                    + "'https://rush.invalid/','types':['dev.rush.*'],"
                    + "'secret':'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'}")));
            series = series(pod);
            Await.until("every queried series is exported", SOON, () -> {
                series = series(pod);
                return series.keySet().containsAll(queried());
            }, () -> missing() + pod.log());
        }
    }

    private static Map<String, List<Map<String, String>>> series(Pod pod) {
        String metrics = pod.metrics();
        types = TYPE.matcher(metrics).results().collect(Collectors.toMap(
                type -> type.group(1), type -> type.group(2)));
        return metrics.lines().map(SERIES::matcher).filter(Matcher::matches)
                .collect(Collectors.groupingBy(found -> found.group(1), TreeMap::new,
                        Collectors.mapping(MetricsIT::labels, Collectors.toList())));
    }

    private static Set<String> queried() {
        Set<String> queried = queries.stream().flatMap(MetricRules::metrics)
                .collect(Collectors.toCollection(TreeSet::new));
        queried.removeAll(records);
        return queried;
    }

    private static String missing() {
        Set<String> missing = queried();
        missing.removeAll(series.keySet());
        return "missing " + missing + "\n";
    }

    @Test
    void referenceListsTheExportedMetricsWithTypesAndLabels() {
        Map<String, String> documented = new TreeMap<>();
        MetricRules.ROW.matcher(Sources.text(Path.of(MetricRules.METRICS))).results().forEach(row ->
                documented.put(row.group(1), row.group(2) + " " + LABEL_NAME.matcher(row.group(3))
                        .results().map(label -> label.group(1)).sorted().toList()));
        Map<String, String> reported = new TreeMap<>();
        types.forEach((name, type) -> {
            // A histogram or summary also exports a gauge of its maximum.
            if (name.startsWith("rush_") && !(name.endsWith("_max")
                    && types.containsKey(name.substring(0, name.length() - 4)))) {
                String sample = name + switch (type) {
                    case "counter" -> "_total";
                    case "gauge" -> "";
                    default -> "_count";
                };
                reported.put(sample.replace("_count", ""), type + " "
                        + series.get(sample).get(0).keySet().stream().sorted().toList());
            }
        });
        assertThat(documented).isEqualTo(reported);
    }

    @Test
    void everySelectorMatchesASample() {
        List<MatchResult> selectors = queries.stream()
                .flatMap(query -> SELECTOR.matcher(query).results())
                .filter(selector -> !records.contains(selector.group(1))).toList();

        assertThat(selectors).isNotEmpty();
        assertThat(selectors).allSatisfy(selector -> assertThat(series.get(selector.group(1)))
                .as(selector.group()).anyMatch(sample -> LABEL.matcher(selector.group(2)).results()
                        .allMatch(wanted -> matches(sample, wanted))));
    }

    @Test
    void everyGroupingLabelIsExported() {
        List<String> grouped = queries.stream().filter(GROUPED.asPredicate()).toList();

        assertThat(grouped).isNotEmpty();
        assertThat(grouped).allSatisfy(query -> {
            Set<String> by = GROUPED.matcher(query).results()
                    .flatMap(found -> Stream.of(found.group(1).trim().split("\\s*,\\s*")))
                    .filter(label -> !ADDED.contains(label)).collect(Collectors.toSet());
            assertThat(MetricRules.metrics(query).filter(name -> !records.contains(name))
                    .map(series::get).flatMap(List::stream))
                    .as(query).allSatisfy(sample -> assertThat(sample).containsKeys(
                            by.toArray(String[]::new)));
        });
    }

    @Test
    void alertTestsUseSeriesThatPodsExport() {
        assertThat(inputs).isNotEmpty().allSatisfy(input -> {
            Matcher parsed = INPUT.matcher(input);
            assertThat(parsed.matches()).isTrue();
            Map<String, String> wanted = labels(parsed.group(2));
            ADDED.forEach(wanted::remove);
            assertThat(series.get(parsed.group(1))).as(input).isNotNull()
                    .anyMatch(sample -> sample.keySet().equals(wanted.keySet())
                            && wanted.entrySet().stream().allMatch(label ->
                                    OTHER_VALUES.contains(label.getKey())
                                    || label.getValue().equals(sample.get(label.getKey()))));
        });
    }

    @Test
    void failureCountersAreExportedBeforeAnythingFails() {
        assertThat(series.get("rush_answers_total")).extracting(
                sample -> sample.get("call") + " " + sample.get("status"))
                .contains("purchase 503", "purchase 504", "purchase 500", "grab 503", "other 503");
        assertThat(series.get("rush_purchases_total")).extracting(sample -> sample.get("outcome"))
                .contains("unavailable", "outcome-unknown", "failed", "backlogged");
        assertThat(series).containsKeys("rush_half_done_total", "rush_books_lost_total",
                "rush_redis_sequence_lost_total", "rush_ledger_rejected_total");
    }

    private static boolean matches(Map<String, String> sample, MatchResult wanted) {
        String value = sample.get(wanted.group(1));
        return value != null && (OTHER_VALUES.contains(wanted.group(1))
                || (wanted.group(2).isEmpty() ? value.equals(wanted.group(3))
                        : value.matches(wanted.group(3))));
    }

    private static Map<String, String> labels(Matcher sample) {
        return labels(sample.group(2));
    }

    private static Map<String, String> labels(String text) {
        Map<String, String> labels = new HashMap<>();
        if (text != null) {
            LABEL.matcher(text).results()
                    .forEach(label -> labels.put(label.group(1), label.group(3)));
        }
        return labels;
    }
}
