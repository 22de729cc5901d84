package dev.rush;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.config.SmallRyeConfigBuilder;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A value outside its limits is reported with its key; one at a limit is accepted. */
class LimitsTest {

    @Test
    void theDefaultsAreWithinTheirLimits() {
        assertThat(Limits.broken(config(Map.of()), Duration.ofSeconds(15))).isEmpty();
    }

    @Test
    void theLedgersDeadlineIsLongerThanItsWaitForALock() {
        assertThat(broken(Map.of("rush.ledger.deadline", "PT4S",
                "rush.ledger.lock-timeout", "PT4S"))).singleElement().asString()
                .startsWith("rush.ledger.deadline=PT4S must be longer than ");
    }

    @Test
    void aStatementEndsBeforeTheDriverGivesUpItsConnection() {
        RushConfig config = config(Map.of("rush.ledger.statement-timeout", "PT15S"));
        assertThat(Limits.broken(config, Duration.ofSeconds(15))).singleElement().asString()
                .startsWith("rush.ledger.statement-timeout=PT15S must be shorter than ");
        assertThat(Limits.broken(config, Duration.ofSeconds(16))).isEmpty();
        assertThat(Limits.broken(config, Duration.ZERO)).isEmpty();
    }

    @ParameterizedTest(name = "{0} is accepted: {1}")
    @CsvSource({
        "https://id.example/token, true", "https://id.example:8443/realms/shop/token, true",
        "http://127.0.0.1:9/token, true", "http://localhost/token, true",
        "http://id.example/token, false", "https://id.example, false",
        "https://id.example; script-src */, false", "https://me@id.example/token, false",
        "https://id.example/token?a=b, false",
    })
    void signInEndpointsAreSafeInAHeader(String address, boolean accepted) {
        List<String> broken = broken(Map.of("rush.console.token-endpoint", address,
                "rush.console.authorization-endpoint", "https://id.example/auth"));
        assertThat(broken).hasSize(accepted ? 0 : 1);
    }

    @Test
    void oneSignInEndpointNeedsTheOther() {
        assertThat(broken(Map.of("rush.console.token-endpoint", "https://id.example/token")))
                .singleElement().asString().contains("must be set together");
    }

    @ParameterizedTest(name = "{0} is {1} to {2}")
    @CsvSource({
        "events.streams, 1, 1000000, 0, 1000001",
        "events.streams-per-address, 1, 1000000, 0, 1000001",
        "events.waiting, 1, 10000, 0, 10001",
        "waits.requests, 1, 1000000, 0, 1000001",
        "waits.per-user, 1, 1000000, 0, 1000001",
        "lists.exports, 1, 100, 0, 101",
        "webhooks.max, 1, 100, 0, 101",
        "webhooks.parallel, 1, 64, 0, 65",
        "webhooks.waiting, 1, 100000, 0, 100001",
        "webhooks.kept, 1, 100000, 0, 100001",
        "webhooks.timeout, PT0.1S, PT30S, PT0.09S, PT31S",
        "webhooks.retry, PT0.01S, PT1H, PT0.009S, PT61M",
        "webhooks.give-up, PT1S, P30D, PT0.9S, P31D",
    })
    void settingsOfEventsAndListsHaveLimits(
            String knob, String min, String max, String below, String above) {
        settingsHaveLimits(knob, min, max, below, above);
    }

    @ParameterizedTest(name = "{0} is {1} to {2}")
    @CsvSource({
        "partitions, 1, 1024, 0, 1025",
        "durability.replicas, 0, 16, -1, 17",
        "backlog, 1, 9223372036854775807, 0,",
        "backlog-bytes, 0, 9223372036854775807, -1,",
        "batch.size, 1, 1000, 0, 1001",
        "batch.in-flight, 1, 64, 0, 65",
        "batch.queue, 1, 2147483647, 0,",
        "redis.calls, 100, 2147483647, 99,",
        "redis.layout, 0, 1, -1, 2",
        "rate-limit.per-second, 1, 9223372036854775807, 0,",
        "rate-limit.burst, 1, 9223372036854775807, -1,",
        "rate-limit.users, 1, 10000000, 0, 10000001",
        "view.entries, 1, 9223372036854775807, 0,",
        "blocklist.users, 1, 10000000, 0, 10000001",
        "http.bodies-per-user, 1, 100000, 0, 100001",
        "deadline, PT0.1S, PT30S, PT0.099S, PT30.001S",
        "view.refresh, PT0.01S, PT10S, PT0.009S, PT10.001S",
        "view.sold-out, PT0S, PT10S, PT-0.001S, PT10.001S",
        "ledger.deadline, PT0.2S, PT120S, PT0.199S, PT120.001S",
        "writer.retry, PT0.01S, PT60S, PT0.009S, PT60.001S",
        "expiry.away, PT1S, PT1H, PT0.999S, PT1H1S",
        "expiry.grace, PT0S, PT24H, PT-0.001S, PT24H1S",
        "returns.alarm-after, PT1S, P30D, PT0.999S, P31D",
        "returns.retry, PT0.1S, PT5M, PT0.099S, PT5M1S",
        "books.drain, PT0.1S, PT5M, PT0.099S, PT5M1S",
        "ledger.threads, 1, 100, 0, 101",
        "ledger.queue, 1, 2147483647, 0,",
        "ledger.waiting, 1, 1000000, 0, 1000001",
        "writer.batch, 1, 2000, 0, 2001",
        "writer.threads, 1, 32, 0, 33",
        "writer.idle-polls, 1, 1000, 0, 1001",
        "writer.tries, 1, 100, 0, 101",
        "expiry.batch, 1, 10000, 0, 10001",
        "books.backlog, 1, 9223372036854775807, 0,",
        "metrics.sales, 0, 1000, -1, 1001",
        "token.max-age, PT1M, P365D, PT59S, P366D",
        "redis.connect, PT0.1S, PT1S, PT0.099S, PT1.001S",
        "redis.silence, PT0.1S, PT10S, PT0.099S, PT10.001S",
        "redis.watch, PT0.1S, PT2S, PT0.099S, PT2.001S",
        "http.body-budget, 65536, 9223372036854775807, 65535,",
        "http.pipeline, 1, 10000, 0, 10001",
        "http.head-timeout, PT0.1S, PT60S, PT0.099S, PT60.001S",
        "http.body-timeout, PT0.1S, PT60S, PT0.099S, PT60.001S",
        "keys.refresh, PT0.1S, PT24H, PT0.099S, PT24H1S",
        "keys.retry, PT0.1S, PT5M, PT0.099S, PT5M1S",
        "keys.timeout, PT0.1S, PT30S, PT0.099S, PT30.001S",
        "retention, PT1S, P365D, PT0.999S,",
        "blocklist.refresh, PT0.01S, PT1S, PT0.009S, PT1.001S",
        "ledger.statement-timeout, PT0.1S, PT300S, PT0.099S, PT300.001S",
        "ledger.lock-timeout, PT0.1S, PT60S, PT0.099S, PT60.001S",
        "writer.lease, PT0.5S, PT30S, PT0.499S, PT30.001S",
        "expiry.interval, PT0.05S, PT60S, PT0.049S, PT60.001S",
        "books.interval, PT0.2S, PT60S, PT0.199S, PT60.001S",
    })
    void settingsHaveLimits(
            String knob, String min, String max, String below, String above) {
        String name = "rush." + knob;
        assertThat(broken(Map.of(name, min))).isEmpty();
        assertThat(broken(Map.of(name, max))).isEmpty();
        assertThat(broken(Map.of(name, below))).singleElement().asString()
                .startsWith(name + "=" + below + " must be ");
        if (above != null) {
            assertThat(broken(Map.of(name, above))).singleElement().asString()
                    .startsWith(name + "=").contains(" to ");
        }
    }

    /** The other times of the ledger leave room for any value of one of them. */
    private static List<String> broken(Map<String, String> values) {
        Map<String, String> all = new HashMap<>(Map.of(
                "rush.ledger.deadline", "PT2M", "rush.ledger.lock-timeout", "PT0.1S"));
        all.putAll(values);
        return Limits.broken(config(all), Duration.ZERO);
    }

    private static RushConfig config(Map<String, String> values) {
        return new SmallRyeConfigBuilder().withMapping(RushConfig.class)
                .withDefaultValues(values).build().getConfigMapping(RushConfig.class);
    }
}
