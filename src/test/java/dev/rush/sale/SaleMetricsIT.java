package dev.rush.sale;

import static dev.rush.testing.Answers.is;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.RawHttp;
import dev.rush.testing.TestSale;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A pod's metrics of sales and answers, to which callers cannot add series. */
class SaleMetricsIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String LEFT = "rush_sale_units_left";

    private static EmbeddedRedis redis;
    private static Environment environment;
    private static Pod pod;

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        environment = Environments.on("sale-metrics", redis);
        pod = Environments.startPod("sale-metrics", environment, Map.of("rush.metrics.sales", "1"));
    }

    @AfterAll
    static void end() {
        pod.close();
        redis.close();
    }

    @Test
    void configuredNumberOfOpenSalesIsReported() {
        TestSale first = sale();
        TestSale second = sale();
        // A sale that another test has just closed may still be reported.
        Await.until("one of them is reported", SOON, () -> isReported(first) || isReported(second),
                pod::metrics);

        TestSale reported = isReported(first) ? first : second;
        TestSale other = reported == first ? second : first;
        assertThat(samples(LEFT)).singleElement().asString()
                .contains('"' + reported.id() + '"').endsWith(" 8.0");
        assertThat(samples("rush_sale_state")).singleElement().asString()
                .contains("state=\"open\"");

        is(200, reported.control("close"));
        Await.until("the other sale is reported instead", SOON, () -> pod.metric(
                LEFT, '"' + other.id() + '"') == 8, pod::metrics);
        assertThat(samples(LEFT)).hasSize(1);
        is(200, other.control("close"));
        Await.until("no sale is reported", SOON, () -> samples(LEFT).isEmpty(), pod::metrics);
    }

    @Test
    void callersCannotAddSeries() {
        TestSale sale = sale();
        long before = series();
        for (int i = 0; i < 20; i++) {
            RawHttp.send(pod.baseUri(), "POST /v1/sales/made-up-" + i
                    + "/purchases HTTP/1.1\r\nHost: a\r\nX-User-Id: u" + i
                    + "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
                    + "Connection: close\r\n\r\n{}");
            RawHttp.send(pod.baseUri(), "GET /made-up-" + i
                    + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        }
        is(200, sale.control("close"));

        assertThat(pod.metric("rush_answers_total", "call=\"other\"", "status=\"4xx\""))
                .isGreaterThanOrEqualTo(20);
        assertThat(pod.metrics()).doesNotContain("made-up");
        assertThat(series()).as("series of the service").isLessThanOrEqualTo(before);
    }

    @Test
    void earlyRefusalsAreCountedButNotTimed() {
        double timed = pod.metric("rush_answer_seconds_count", "call=\"purchase\"");
        double refused = pod.metric("rush_answers_total", "call=\"purchase\"", "status=\"4xx\"");
        RawHttp.send(pod.baseUri(), "POST /v1/sales/a/purchases HTTP/1.1\r\nHost: a\r\n"
                + "Content-Type: application/json\r\nContent-Length: 2\r\n"
                + "Connection: close\r\n\r\n{}");

        Await.until("the refusal is counted", SOON, () -> pod.metric("rush_answers_total",
                "call=\"purchase\"", "status=\"4xx\"") == refused + 1, pod::metrics);
        assertThat(pod.metric("rush_answer_seconds_count", "call=\"purchase\"")).isEqualTo(timed);
    }

    private static TestSale sale() {
        TestSale sale = TestSale.unknown(environment, pod.api());
        sale.prepare("apple:10:0", "");
        sale.bought("ada", "apple:2");
        return sale;
    }

    private static boolean isReported(TestSale sale) {
        return samples(LEFT).stream().anyMatch(sample ->
                sample.contains('"' + sale.id() + '"') && sample.endsWith(" 8.0"));
    }

    private static List<String> samples(String metric) {
        return pod.metrics().lines().filter(line -> line.startsWith(metric + "{")).toList();
    }

    private static long series() {
        // Series of sales and of Redis appear by themselves a few seconds after the start.
        return pod.metrics().lines().filter(line -> line.startsWith("rush_")
                && !line.matches("rush_(sale|redis)_.*")).count();
    }
}
