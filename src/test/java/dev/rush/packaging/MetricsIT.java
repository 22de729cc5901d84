package dev.rush.packaging;

import static dev.rush.testing.Answers.is;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.TestRain;
import dev.rush.testing.TestSale;
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

/** What alerts and dashboard ask Prometheus for is what a running pod tells it (B3, X3). */
class MetricsIT {
    private static final Pattern SERIES = Pattern.compile("([a-zA-Z_:][\\w:]*)(\\{.*})? \\S+");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=(~?)\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern SELECTOR = Pattern.compile("([a-zA-Z_:][\\w:]*)\\{([^}]*)}");
    private static final Pattern GROUPED = Pattern.compile("\\bby\\s*\\(([^)]*)\\)");

    /** Prometheus adds it. */
    private static final Set<String> ADDED = Set.of("pod");
    /** Ports here are free ones, and nothing here fails. */
    private static final Set<String> OTHER_VALUES = Set.of("server_port", "status");

    /** Name of a series to the labels of each of its samples. */
    private static Map<String, List<Map<String, String>>> series;
    private static List<String> queries;

    @BeforeAll
    static void captureAfterAPurchaseAndAGrab() {
        queries = MetricRules.queries(Kustomize.render("dev+monitoring")).toList();
        Environment environment = Environments.single();
        try (Pod pod = Environments.startPod(
                "metrics", environment, Map.of("rush.orders.sink", "postgres"))) {
            TestSale sale = TestSale.unknown(environment, pod.api());
            sale.prepare("apple:10:1", "");
            is(201, sale.buy("ada", "apple"));
            TestRain rain = TestRain.unknown(environment).through(pod.api());
            is(201, rain.prepare(TestRain.listed("", 5, 7)));
            is(201, rain.grab("ada"));
            series = pod.metrics().lines().map(SERIES::matcher).filter(Matcher::matches)
                    .collect(Collectors.groupingBy(found -> found.group(1), TreeMap::new,
                            Collectors.mapping(MetricsIT::labels, Collectors.toList())));
        }
    }

    @Test
    void everyMetricOfEveryQueryIsThere() {
        Set<String> asked = queries.stream().flatMap(MetricRules::metrics)
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(asked).isNotEmpty();
        assertThat(series.keySet()).containsAll(asked);
    }

    @Test
    void everySelectorFindsASample() {
        List<MatchResult> selectors = queries.stream()
                .flatMap(query -> SELECTOR.matcher(query).results()).toList();

        assertThat(selectors).isNotEmpty();
        assertThat(selectors).allSatisfy(selector -> assertThat(series.get(selector.group(1)))
                .as(selector.group()).anyMatch(sample -> LABEL.matcher(selector.group(2)).results()
                        .allMatch(wanted -> matches(sample, wanted))));
    }

    @Test
    void everyGroupingLabelIsThere() {
        List<String> grouped = queries.stream().filter(GROUPED.asPredicate()).toList();

        assertThat(grouped).isNotEmpty();
        assertThat(grouped).allSatisfy(query -> {
            Set<String> by = GROUPED.matcher(query).results()
                    .flatMap(found -> Stream.of(found.group(1).trim().split("\\s*,\\s*")))
                    .filter(label -> !ADDED.contains(label)).collect(Collectors.toSet());
            assertThat(MetricRules.metrics(query).map(series::get).flatMap(List::stream))
                    .as(query).allSatisfy(sample -> assertThat(sample).containsKeys(
                            by.toArray(String[]::new)));
        });
    }

    private static boolean matches(Map<String, String> sample, MatchResult wanted) {
        String value = sample.get(wanted.group(1));
        return value != null && (OTHER_VALUES.contains(wanted.group(1))
                || (wanted.group(2).isEmpty() ? value.equals(wanted.group(3))
                        : value.matches(wanted.group(3))));
    }

    private static Map<String, String> labels(Matcher sample) {
        Map<String, String> labels = new HashMap<>();
        if (sample.group(2) != null) {
            LABEL.matcher(sample.group(2)).results()
                    .forEach(label -> labels.put(label.group(1), label.group(3)));
        }
        return labels;
    }
}
