package dev.rush.packaging;

import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The metrics that dashboards and alerts may use: those of the reference, which {@link MetricsIT}
 * compares with a running pod, and a few of Quarkus's.
 */
final class MetricNames {
    /** A row of the reference; its groups are name, type and labels. */
    static final Pattern ROW = Pattern.compile(
            "(?m)^\\| `(rush_\\w+)` \\| (\\w+) \\| [^|]+ \\|([^|]*)\\|");

    private static final Map<String, String> STANDARD = Map.of(
            "http_server_requests_seconds", "summary", "http_server_active_requests", "gauge");

    private MetricNames() {
    }

    /** Returns the types of the service's own metrics by name. */
    static Map<String, String> own(Packaging packaging) {
        return ROW.matcher(packaging.file(MetricRules.METRICS)).results()
                .collect(Collectors.toMap(row -> row.group(1), row -> row.group(2)));
    }

    /** Returns every series that a query may use. */
    static Set<String> series(Packaging packaging) {
        return Stream.of(own(packaging), STANDARD).flatMap(types -> types.entrySet().stream())
                .flatMap(metric -> switch (metric.getValue()) {
                    case "histogram" -> Stream.of("_bucket", "_count", "_sum", "_max")
                            .map(metric.getKey()::concat);
                    case "summary" -> Stream.of("_count", "_sum", "_max")
                            .map(metric.getKey()::concat);
                    default -> Stream.of(metric.getKey());
                }).collect(Collectors.toSet());
    }
}
