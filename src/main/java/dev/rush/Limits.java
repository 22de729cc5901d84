package dev.rush;

import dev.rush.redis.Layout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The limits of the settings, as documented in {@link RushConfig}. Plain code, because a validator
 * that reads the settings of all extensions would slow down the start.
 */
final class Limits {

    private static final long ANY = Long.MAX_VALUE;
    /** An endpoint of a token provider. Its origin becomes a part of a header. */
    private static final Pattern ENDPOINT = Pattern.compile(
            "(https://[A-Za-z0-9.-]+|http://(127\\.0\\.0\\.1|localhost))(:[0-9]{1,5})?"
            + "/[A-Za-z0-9._~/%-]*");

    private final List<String> broken = new ArrayList<>();

    private Limits() {
    }

    /**
     * One sentence for each value that is out of range or contradicts another.
     *
     * @param socketTimeout after which the driver abandons a connection; zero for never
     */
    static List<String> broken(RushConfig config, Duration socketTimeout) {
        Limits limits = new Limits();
        limits.numbers(config);
        limits.times(config);
        limits.relations(config.ledger(), socketTimeout);
        limits.signIn(config.console());
        return limits.broken;
    }

    private void numbers(RushConfig config) {
        number("partitions", config.partitions(), 1, 1024);
        number("durability.replicas", config.durabilityReplicas(), 0, 16);
        number("backlog", config.backlog(), 1, ANY);
        number("backlog-bytes", config.backlogBytes(), 0, ANY);
        number("http.body-budget", config.http().bodyBudget(), 65_536, ANY);
        number("http.bodies-per-user", config.http().bodiesPerUser(), 1, 100_000);
        number("http.pipeline", config.http().pipeline(), 1, 10_000);
        number("batch.size", config.batch().size(), 1, 1000);
        number("batch.in-flight", config.batch().inFlight(), 1, 64);
        number("batch.queue", config.batch().queue(), 1, ANY);
        number("redis.calls", config.redis().calls(), 100, ANY);
        number("redis.layout", config.redis().layout(), 0, Layout.newest());
        number("rate-limit.per-second", config.rateLimit().perSecond(), 1, ANY);
        number("rate-limit.burst", config.rateLimit().burst(), 1, ANY);
        number("rate-limit.users", config.rateLimit().users(), 1, 10_000_000);
        number("view.entries", config.view().entries(), 1, ANY);
        number("blocklist.users", config.blocklist().users(), 1, 10_000_000);
        number("events.streams", config.events().streams(), 1, 1_000_000);
        number("events.streams-per-address", config.events().streamsPerAddress(), 1, 1_000_000);
        number("events.waiting", config.events().waiting(), 1, 10_000);
        number("events.kafka.batch", config.events().kafka().batch(), 1, 5000);
        number("webhooks.max", config.webhooks().max(), 1, WebhooksConfig.MAX);
        number("webhooks.parallel", config.webhooks().parallel(), 1, 64);
        number("webhooks.waiting", config.webhooks().waiting(), 1, 100_000);
        number("webhooks.kept", config.webhooks().kept(), 1, 100_000);
        number("waits.requests", config.waits().requests(), 1, 1_000_000);
        number("waits.per-user", config.waits().perUser(), 1, 1_000_000);
        number("lists.exports", config.lists().exports(), 1, 100);
        number("ledger.threads", config.ledger().threads(), 1, 100);
        number("ledger.queue", config.ledger().queue(), 1, ANY);
        number("ledger.waiting", config.ledger().waiting(), 1, 1_000_000);
        number("writer.batch", config.writer().batch(), 1, 2000);
        number("writer.threads", config.writer().threads(), 1, 32);
        number("writer.idle-polls", config.writer().idlePolls(), 1, 1000);
        number("writer.tries", config.writer().tries(), 1, 100);
        number("expiry.batch", config.expiry().batch(), 1, 10_000);
        number("books.backlog", config.books().backlog(), 1, ANY);
        number("metrics.sales", config.metrics().sales(), 0, 1000);
    }

    private void times(RushConfig config) {
        time("token.max-age", config.token().maxAge(), "PT1M", "P365D");
        time("deadline", config.deadline(), "PT0.1S", "PT30S");
        time("redis.connect", config.redis().connect(), "PT0.1S", "PT1S");
        time("redis.silence", config.redis().silence(), "PT0.1S", "PT10S");
        time("redis.watch", config.redis().watch(), "PT0.1S", "PT2S");
        time("retention", config.retention(), "PT1S", null);
        time("http.head-timeout", config.http().headTimeout(), "PT0.1S", "PT1M");
        time("http.body-timeout", config.http().bodyTimeout(), "PT0.1S", "PT1M");
        time("keys.refresh", config.keys().refresh(), "PT0.1S", "PT24H");
        time("keys.retry", config.keys().retry(), "PT0.1S", "PT5M");
        time("keys.timeout", config.keys().timeout(), "PT0.1S", "PT30S");
        time("view.refresh", config.view().refresh(), "PT0.01S", "PT10S");
        time("view.sold-out", config.view().soldOut(), "PT0S", "PT10S");
        time("blocklist.refresh", config.blocklist().refresh(), "PT0.01S", "PT1S");
        time("ledger.statement-timeout", config.ledger().statementTimeout(), "PT0.1S", "PT5M");
        time("ledger.lock-timeout", config.ledger().lockTimeout(), "PT0.1S", "PT1M");
        time("ledger.deadline", config.ledger().deadline(), "PT0.2S", "PT2M");
        time("writer.lease", config.writer().lease(), "PT0.5S", "PT30S");
        time("writer.retry", config.writer().retry(), "PT0.01S", "PT1M");
        time("events.kafka.timeout", config.events().kafka().timeout(), "PT1S", "PT2M");
        time("webhooks.timeout", config.webhooks().timeout(), "PT0.1S", "PT30S");
        time("webhooks.retry", config.webhooks().retry(), "PT0.01S", "PT1H");
        time("webhooks.give-up", config.webhooks().giveUp(), "PT1S", "P30D");
        time("expiry.interval", config.expiry().interval(), "PT0.05S", "PT1M");
        time("expiry.away", config.expiry().away(), "PT1S", "PT1H");
        time("expiry.grace", config.expiry().grace(), "PT0S", "PT24H");
        time("returns.alarm-after", config.returns().alarmAfter(), "PT1S", "P30D");
        time("returns.retry", config.returns().retry(), "PT0.1S", "PT5M");
        time("books.interval", config.books().interval(), "PT0.2S", "PT1M");
        time("books.drain", config.books().drain(), "PT0.1S", "PT5M");
        time("books.recount", config.books().recount(), "PT1M", "P7D");
    }

    private void relations(LedgerConfig ledger, Duration socketTimeout) {
        if (ledger.deadline().compareTo(ledger.lockTimeout()) <= 0) {
            broken.add("rush.ledger.deadline=" + ledger.deadline() + " must be longer than "
                    + "rush.ledger.lock-timeout=" + ledger.lockTimeout()
                    + ", or lock contention is reported as an outage");
        }
        if (!socketTimeout.isZero()
                && ledger.statementTimeout().compareTo(socketTimeout) >= 0) {
            broken.add("rush.ledger.statement-timeout=" + ledger.statementTimeout()
                    + " must be shorter than the driver's socketTimeout of " + socketTimeout
                    + ", or a slow statement loses its connection");
        }
    }

    private void signIn(ConsoleConfig console) {
        if (console.authorizationEndpoint().isPresent() != console.tokenEndpoint().isPresent()) {
            broken.add("rush.console.authorization-endpoint and rush.console.token-endpoint must "
                    + "be set together");
        }
        Stream.of(console.authorizationEndpoint(), console.tokenEndpoint())
                .flatMap(Optional::stream).filter(endpoint -> !ENDPOINT.matcher(endpoint).matches())
                .forEach(endpoint -> broken.add("rush.console: " + endpoint + " must be an https "
                        + "address, or http on 127.0.0.1 or localhost"));
    }

    private void number(String knob, long value, long min, long max) {
        if (value < min || value > max) {
            report(knob, value, min, max == ANY ? null : max);
        }
    }

    private void time(String knob, Duration value, String min, @Nullable String max) {
        if (value.compareTo(Duration.parse(min)) < 0
                || max != null && value.compareTo(Duration.parse(max)) > 0) {
            report(knob, value, min, max);
        }
    }

    private void report(String knob, Object value, Object min, @Nullable Object max) {
        broken.add("rush." + knob + "=" + value + " must be " + min
                + (max == null ? " or more" : " to " + max));
    }
}
