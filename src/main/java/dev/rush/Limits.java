package dev.rush;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The limits of the knobs, as {@link RushConfig} states them. Plain code, as a start that sells
 * within moments has no time for a validator that reads the settings of all extensions.
 */
final class Limits {

    private static final long ANY = Long.MAX_VALUE;

    private final List<String> broken = new ArrayList<>();

    private Limits() {
    }

    /** A sentence for each value that is out of its limits. */
    static List<String> broken(RushConfig config) {
        Limits limits = new Limits();
        limits.number("partitions", config.partitions(), 1, 1024);
        limits.number("backlog", config.backlog(), 1, ANY);
        limits.number("backlog-bytes", config.backlogBytes(), 0, ANY);
        limits.number("http.body-budget", config.http().bodyBudget(), 65_536, ANY);
        limits.number("http.pipeline", config.http().pipeline(), 1, 10_000);
        limits.number("batch.size", config.batch().size(), 1, 1000);
        limits.number("batch.in-flight", config.batch().inFlight(), 1, 64);
        limits.number("batch.queue", config.batch().queue(), 1, ANY);
        limits.number("redis.calls", config.redis().calls(), 100, ANY);
        limits.number("rate-limit.per-second", config.rateLimit().perSecond(), 1, ANY);
        limits.number("rate-limit.burst", config.rateLimit().burst(), 1, ANY);
        limits.number("rate-limit.users", config.rateLimit().users(), 1, 10_000_000);
        limits.number("view.entries", config.view().entries(), 1, ANY);
        limits.number("blocklist.users", config.blocklist().users(), 1, 10_000_000);
        limits.number("events.streams", config.events().streams(), 1, 1_000_000);
        limits.number("ledger.threads", config.ledger().threads(), 1, 100);
        limits.number("ledger.queue", config.ledger().queue(), 1, ANY);
        limits.number("writer.batch", config.writer().batch(), 1, 2000);
        limits.number("writer.threads", config.writer().threads(), 1, 32);
        limits.number("writer.idle-looks", config.writer().idleLooks(), 1, 1000);
        limits.number("writer.tries", config.writer().tries(), 1, 100);
        limits.number("expiry.batch", config.expiry().batch(), 1, 10_000);
        limits.number("books.backlog", config.books().backlog(), 1, ANY);
        limits.number("metrics.sales", config.metrics().sales(), 0, 1000);
        limits.time("token.max-age", config.token().maxAge(), "PT1M", "P365D");
        limits.time("redis.connect", config.redis().connect(), "PT0.1S", "PT1S");
        limits.time("redis.silence", config.redis().silence(), "PT0.1S", "PT10S");
        limits.time("redis.watch", config.redis().watch(), "PT0.1S", "PT2S");
        limits.time("retention", config.retention(), "PT1S", null);
        limits.time("http.head-timeout", config.http().headTimeout(), "PT0.1S", "PT1M");
        limits.time("http.body-timeout", config.http().bodyTimeout(), "PT0.1S", "PT1M");
        limits.time("keys.refresh", config.keys().refresh(), "PT0.1S", "PT24H");
        limits.time("keys.retry", config.keys().retry(), "PT0.1S", "PT5M");
        limits.time("keys.timeout", config.keys().timeout(), "PT0.1S", "PT30S");
        limits.time("blocklist.refresh", config.blocklist().refresh(), "PT0.01S", "PT1S");
        limits.time("ledger.statement-timeout", config.ledger().statementTimeout(), "PT0.1S",
                "PT5M");
        limits.time("ledger.lock-timeout", config.ledger().lockTimeout(), "PT0.1S", "PT5M");
        limits.time("writer.lease", config.writer().lease(), "PT0.5S", "PT30S");
        limits.time("expiry.interval", config.expiry().interval(), "PT0.05S", "PT1M");
        limits.time("books.interval", config.books().interval(), "PT0.2S", "PT1M");
        return limits.broken;
    }

    private void number(String knob, long value, long least, long most) {
        if (value < least || value > most) {
            tell(knob, value, least, most == ANY ? null : most);
        }
    }

    private void time(String knob, Duration value, String least, String most) {
        if (value.compareTo(Duration.parse(least)) < 0
                || most != null && value.compareTo(Duration.parse(most)) > 0) {
            tell(knob, value, least, most);
        }
    }

    private void tell(String knob, Object value, Object least, Object most) {
        broken.add("rush." + knob + "=" + value + " must be " + least
                + (most == null ? " or more" : " to " + most));
    }
}
