package dev.rush.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.TestJournal;
import dev.rush.testing.Await;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Reservations end when both clocks say so, and no partition waits for another. */
class ExpiryTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final String EXPIRED =
            "1 expired service:expiry, 2 credited service:credits credited";
    private static TestLife test;
    /** The clock of a partition's Redis; PostgreSQL's clock for other partitions. */
    private final Map<Integer, CompletableFuture<Long>> clocks = new ConcurrentHashMap<>();
    private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    private Expiry expiry;

    @BeforeAll
    static void start() {
        test = new TestLife();
    }

    @AfterAll
    static void stop() throws Exception {
        test.close();
    }

    @BeforeEach
    void prepare() {
        test.clear();
        // The time since the last test must not count as an outage.
        test.journal.sql("UPDATE ledger SET beat = now(), back_at = now() - interval '1 hour'");
        expiry = new Expiry(test.journal.ledger, test.credits, partition ->
                clocks.getOrDefault(partition.index(), CompletableFuture.completedFuture(now())),
                TestLife.PARTITIONS, test.journal.config, metrics);
    }

    private static long now() {
        return Long.parseLong(test.journal.sql(
                "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"));
    }

    private static UUID reserved(int partition, long payBy) {
        return test.order(test.sale(partition), null, payBy);
    }

    @Test
    @DisplayName("I12: a hanging Redis delays only reservations of its own partition")
    void others() {
        CompletableFuture<Long> hanging = new CompletableFuture<>();
        clocks.put(1, hanging);
        UUID stuck = reserved(1, now() - 1);
        UUID first = reserved(2, now() - 1);
        expiry.poll();
        test.awaitSteps(first, EXPIRED);
        UUID second = reserved(2, now() - 1);
        UUID third = reserved(3, now() - 1);
        Await.until("they expire", SOON, () -> {
            expiry.poll();
            return EXPIRED.equals(test.steps(second)) && EXPIRED.equals(test.steps(third));
        }, () -> test.steps(second) + " " + test.steps(third));
        assertThat(test.steps(stuck)).isNull();
        hanging.complete(now());
        test.awaitSteps(stuck, EXPIRED);
    }

    @Test
    @DisplayName("I12: a Redis whose clock is behind ends nothing before its own time")
    void behind() {
        long due = now() - 1;
        clocks.put(1, CompletableFuture.completedFuture(due - 1));
        UUID waits = reserved(1, due);
        UUID beside = reserved(2, due);
        expiry.poll();
        test.awaitSteps(beside, EXPIRED);
        assertThat(test.steps(waits)).isNull();
        clocks.put(1, CompletableFuture.completedFuture(due));
        Await.until("it expires", SOON, () -> {
            expiry.poll();
            return EXPIRED.equals(test.steps(waits));
        }, () -> test.steps(waits));
    }

    @Test
    @DisplayName("I12: a Redis whose clock is ahead ends nothing before PostgreSQL's time")
    void ahead() {
        clocks.put(1, CompletableFuture.completedFuture(now() + 7_200_000));
        UUID waits = reserved(1, now() + 3_600_000);
        UUID due = reserved(1, now() - 1);
        expiry.poll();
        test.awaitSteps(due, EXPIRED);
        assertThat(test.steps(waits)).isNull();
        assertThat(metrics.get("rush.clock.apart").gauge().value()).isBetween(7_000.0, 7_300.0);
    }

    @Test
    @DisplayName("I12: a clock of Redis that is set back counts at once")
    void setBack() {
        expiry = new Expiry(test.journal.ledger, test.credits, test.gate.commands,
                TestLife.PARTITIONS, test.journal.config, metrics);
        test.aheadMs = 60_000;
        UUID due = reserved(1, now() - 1);
        expiry.poll();
        test.awaitSteps(due, EXPIRED);
        test.aheadMs = -60_000;
        UUID waits = reserved(1, now() - 1);
        UUID beside = reserved(1, now() - 90_000);
        Await.until("the other one expires", SOON, () -> {
            expiry.poll();
            return EXPIRED.equals(test.steps(beside));
        });
        assertThat(test.steps(waits)).isNull();
    }

    @Test
    @DisplayName("I6: an expiry is recorded in Redis before its units are sold again")
    void expiryIsRecordedFirst() {
        UUID order = reserved(1, now() - 1);
        expiry.poll();
        test.awaitSteps(order, EXPIRED);
        assertThat(test.calls.stream().map(call -> call.get(0)))
                .containsExactly("order/report", "order/credit");
        assertThat(test.calls(OrderScripts.REPORT)).containsExactly(
                "2 " + TestJournal.MONTH + " " + order + " 1 expired service:expiry");
    }

    @Test
    @DisplayName("I6: units of an expiry that PostgreSQL may have lost are not sold again")
    void formerEpoch() {
        test.kept = -1;
        UUID order = reserved(1, now() - 1);
        expiry.poll();
        test.awaitSteps(order, "1 expired service:expiry");
        Await.until("the expiry is recorded", SOON,
                () -> !test.calls(OrderScripts.REPORT).isEmpty());
        test.kept = 1;
        UUID next = reserved(1, now() - 1);
        Await.until("the next one expires", SOON, () -> {
            expiry.poll();
            return !test.calls(OrderScripts.CREDIT).isEmpty();
        });
        assertThat(test.calls(OrderScripts.CREDIT)).containsExactly("u " + next + " e");
    }

    @Test
    @DisplayName("I12: clocks are compared before anything is due")
    void compared() {
        clocks.put(2, CompletableFuture.completedFuture(now() - 3_600_000));
        expiry.poll();
        assertThat(metrics.get("rush.clock.apart").gauge().value()).isBetween(3_599.0, 3_700.0);
    }

    @Test
    @DisplayName("I12: nothing expires for a while after an outage of the ledger")
    void grace() {
        UUID order = reserved(1, now() - 1);
        test.journal.sql("UPDATE ledger SET beat = now() - interval '1 hour'");
        expiry.poll();
        assertThat(test.journal.sql("SELECT back_at > now() - interval '1 minute' FROM ledger"))
                .isEqualTo("t");
        test.journal.sql("UPDATE ledger SET back_at = now() - interval '1 hour'");
        assertThat(test.steps(order)).isNull();
        expiry.poll();
        test.awaitSteps(order, EXPIRED);
    }

    @Test
    @DisplayName("I12: a poll each minute finds even reservations that are long overdue")
    void late() {
        UUID first = reserved(1, 5);
        expiry.poll();
        test.awaitSteps(first, EXPIRED);
        UUID tooLate = reserved(2, 5);
        UUID second = reserved(3, now() - 1);
        expiry.poll();
        test.awaitSteps(second, EXPIRED);
        assertThat(test.steps(tooLate)).isNull();
    }

    @Test
    @DisplayName("No reservation on hold expires, and none where the ledger may be behind Redis")
    void held() {
        UUID behind = reserved(1, now() - 1);
        UUID held = reserved(2, now() - 1);
        UUID due = reserved(3, now() - 1);
        test.journal.sql("UPDATE partitions SET behind_since = now() WHERE partition = 1");
        test.journal.sql("UPDATE reservations SET held = true WHERE order_id = '" + held + "'");
        expiry.poll();
        test.awaitSteps(due, EXPIRED);
        assertThat(test.steps(behind)).isNull();
        assertThat(test.steps(held)).isNull();
    }
}
