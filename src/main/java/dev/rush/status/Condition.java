package dev.rush.status;

import java.util.function.DoublePredicate;

/**
 * Alarms that a single pod can detect: the alerts of {@code k8s/components/monitoring} with a
 * condition on one gauge. Alerts that compare pods or times exist only in Prometheus.
 */
enum Condition {
    OVERSOLD("RushOversold", "rush.books.oversold", true, above(0)),
    DRIFT("RushBooksDrift", "rush.books.drift", true, above(0)),
    BEHIND("RushLedgerBehind", "rush.ledger.behind.partitions", true, above(0)),
    SUMS("RushLedgerSums", "rush.books.recount.drift", true, above(0)),
    BACKLOG("RushLedgerBacklog", "rush.ledger.backlog", true, above(1_000_000)),
    NOT_LOADED("RushSaleNotLoaded", "rush.sale.state", true, above(0)),
    UNREACHABLE("RushRedisUnreachable", "rush.redis.reachable", true, value -> value == 0),
    UNCOVERED("RushRedisSlotsUncovered", "rush.redis.slots.uncovered", true, above(0)),
    WRITE_FAILED("RushRedisWriteFailed", "rush.redis.write.failed", true, above(0)),
    LAG("RushLedgerLag", "rush.ledger.lag", false, above(60)),
    DEAD_LETTERS("RushDeadLetters", "rush.ledger.dead.letters", false, above(0)),
    RETURNS("RushReturnsAlarmed", "rush.returns.alarmed", false, above(0)),
    CLOCKS("RushClocksApart", "rush.clock.apart", false, above(10)),
    WEBHOOK("RushWebhookLag", "rush.webhook.lag", false, above(900)),
    KAFKA("RushKafkaLag", "rush.kafka.lag", false, above(300)),
    WATCH("RushWatchLag", "rush.watch.lag", false, above(60)),
    HELD("RushEventsHeld", "rush.events.held", false, above(300)),
    REPLICA("RushRedisReplicaMissing", "rush.redis.replicas", false, value -> value == 0);

    /** The state of a sale that raises an alarm. */
    static final String STATE_NOT_LOADED = "not-loaded";

    private final String alarm;
    private final String gauge;
    private final boolean isCritical;
    private final DoublePredicate isWrong;

    Condition(String alarm, String gauge, boolean isCritical, DoublePredicate isWrong) {
        this.alarm = alarm;
        this.gauge = gauge;
        this.isCritical = isCritical;
        this.isWrong = isWrong;
    }

    private static DoublePredicate above(double max) {
        return value -> value > max;
    }

    String alarm() {
        return alarm;
    }

    String gauge() {
        return gauge;
    }

    String severity() {
        return isCritical ? "critical" : "warning";
    }

    /** Whether a value of its gauge raises the alarm. */
    boolean isWrong(double value) {
        return isWrong.test(value);
    }
}
