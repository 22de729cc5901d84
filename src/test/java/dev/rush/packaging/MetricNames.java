package dev.rush.packaging;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The metrics that dashboards and alerts may use, by the names that Prometheus knows them by;
 * {@link MetricsIT} holds their queries against a running pod.
 */
final class MetricNames {

    /** What the service registers itself. */
    static final List<String> OWN = List.of(
            "rush_answers_total", "rush_answer_seconds", "rush_pod",
            "rush_purchases_total", "rush_grabs_total",
            "rush_sale_units", "rush_sale_units_ordered", "rush_sale_units_left",
            "rush_sale_state",
            "rush_redis_batch_size", "rush_redis_queue", "rush_redis_reachable",
            "rush_redis_replicas", "rush_redis_slots_uncovered", "rush_redis_write_failed",
            "rush_redis_memory_used_bytes", "rush_redis_memory_max_bytes",
            "rush_redis_wait_seconds", "rush_redis_wait_short_total",
            "rush_redis_sequence_lost_total", "rush_half_done_total",
            "rush_transfers_total", "rush_transfers_units_total", "rush_transfers_pending",
            "rush_events_streams", "rush_order_waits", "rush_order_exports",
            "rush_ledger_backlog", "rush_ledger_lag_seconds", "rush_ledger_dead_letters",
            "rush_ledger_rejected_total", "rush_returns_parked", "rush_returns_alarmed",
            "rush_webhook_lag_seconds", "rush_webhook_waiting", "rush_webhook_deliveries_total",
            "rush_books_checked_seconds", "rush_books_drift", "rush_books_oversold",
            "rush_books_lost_total", "rush_books_recount_drift",
            "rush_ledger_behind_partitions", "rush_ledger_waiting", "rush_clock_apart_seconds");

    private static final Set<String> HISTOGRAMS = Set.of("rush_answer_seconds");

    private static final Set<String> SUMMARIES =
            Set.of("rush_redis_batch_size", "rush_redis_wait_seconds",
                    "http_server_requests_seconds");

    private static final List<String> STANDARD =
            List.of("http_server_requests_seconds", "http_server_active_requests");

    private MetricNames() {
    }

    /** Every series that may be queried. */
    static Set<String> series() {
        return Stream.concat(OWN.stream(), STANDARD.stream())
                .flatMap(name -> HISTOGRAMS.contains(name)
                        ? Stream.of("_bucket", "_count", "_sum", "_max").map(name::concat)
                        : SUMMARIES.contains(name)
                        ? Stream.of("_count", "_sum", "_max").map(name::concat)
                        : Stream.of(name))
                .collect(Collectors.toSet());
    }
}
