package dev.rush.reconciliation.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.LeaderLease;
import dev.rush.redis.batch.SequenceLost;
import dev.rush.testing.Await;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A loss is recorded, restored and counted. */
class LossesTest extends RepairScene {
    private static final long SOME_TIME_MS = 1_000;

    private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();

    @BeforeEach
    void clear() {
        test.sql("DELETE FROM losses");
        test.sql("DELETE FROM leader_leases");
        test.sql("DELETE FROM retries");
        test.sql("UPDATE orders SET seq = 1");
    }

    private Losses losses(Set<Integer> refused) {
        return new Losses(test.ledger, PARTITIONS, report.streams, restorer,
                new LeaderLease(test.ledger, () -> false, () -> refused), test.config, metrics);
    }

    private static SequenceLost lost(int partition, long low, long high) {
        return new SequenceLost(
                PARTITIONS.all().get(partition), low, high, 0, SOME_TIME_MS, false, 0);
    }

    private static String row(int partition) {
        return test.sql("SELECT concat_ws(' ', low, high, lost, restored_at IS NOT NULL)"
                + " FROM losses WHERE partition = " + partition);
    }

    @Test
    void lossIsRestoredAndCountedOnceItsStreamIsDrained() {
        UUID kept = test.order(sale, "u1", null, "apple:1", 0);
        test.sql("UPDATE orders SET seq = 12, placed_at_ms = 5 WHERE id = '" + kept + "'");
        redis.command("XADD", "rush:{" + PARTITION.tag() + "}:orders", "500-0", "grab", "r");
        Losses losses = losses(Set.of());
        losses.notice(lost(0, 10, 15));
        losses.round();
        assertThat(row(0)).isEqualTo("10 15 t");
        assertThat(record("u1")).startsWith("a " + kept);
        redis.command("XTRIM", "rush:{" + PARTITION.tag() + "}:orders", "MAXLEN", "0");
        losses.round();
        assertThat(row(0)).isEqualTo("10 15 4 t");
        assertThat(metrics.get("rush.books.lost").counter().count()).isEqualTo(4);
        losses.round();
        assertThat(metrics.get("rush.books.lost").counter().count()).isEqualTo(4);
    }

    /** Redis was emptied twice; the sale was rebuilt in between, above the numbers given out. */
    @Test
    void secondLossCountsOnlyWhatWasGivenOutSinceTheFirst() {
        test.sql("DELETE FROM skipped_numbers");
        UUID before = test.order(sale, "u1", null, "apple:1", 0);
        test.sql("UPDATE orders SET seq = 12, placed_at_ms = 5 WHERE id = '" + before + "'");
        test.sql("UPDATE partitions SET seq = 12 WHERE partition = 0");
        redis.command("DEL", key("stock"), PARTITION.key("seq"));
        rebuild.rebuild(sale, MONTH, shards());
        assertThat(redis.text("GET", PARTITION.key("seq"))).isEqualTo("12");
        long rebuiltMs = Long.parseLong(test.sql("SELECT at_ms FROM skipped_numbers"));
        UUID after = test.order(sale, "u2", null, "apple:1", 0);
        test.sql("UPDATE orders SET seq = 13, placed_at_ms = " + rebuiltMs + " WHERE id = '"
                + after + "'");
        Losses losses = losses(Set.of());
        losses.notice(new SequenceLost(PARTITION, 0, 14, rebuiltMs - 1, rebuiltMs + 1,
                true, 0));
        losses.round();
        assertThat(row(0)).isEqualTo("0 14 1 t");
    }

    @Test
    void numbersOfRetiredMonthsAreNotLost() {
        test.sql("SELECT ensure_month(202512)");
        test.sql("INSERT INTO orders SELECT gen_random_uuid(), 202512, block, 11, 5, pay_by_ms,"
                + " partition, sale, user_id, key, digest, lines, lefts, claim FROM orders WHERE"
                + " id = '" + test.order(sale, "u1", null, "apple:1", 0) + "'");
        Losses losses = losses(Set.of());
        losses.notice(lost(0, 10, 12));
        losses.round();
        assertThat(row(0)).isEqualTo("10 12 1 t");
    }

    @Test
    void lossIsRestoredOnceEvenIfItsCountFails() {
        UUID kept = test.order(sale, "u1", null, "apple:1", 0);
        test.sql("UPDATE orders SET seq = 12, placed_at_ms = 5 WHERE id = '" + kept + "'");
        Losses losses = losses(Set.of());
        losses.notice(lost(0, 10, 15));
        test.sql("ALTER TABLE losses ADD CONSTRAINT uncounted CHECK (lost IS NULL)");
        try {
            Await.until("it is restored", Duration.ofSeconds(30), () -> {
                losses.round();
                return row(0).equals("10 15 t");
            });
            assertThat(record("u1")).startsWith("a " + kept);
            redis.command("HDEL", "rush:{" + PARTITION.tag() + "}:sale:" + sale + ":buyers",
                    "u1");
            losses.round();
            losses.round();
            assertThat(record("u1")).as("restored again").isNull();
        } finally {
            test.sql("ALTER TABLE losses DROP CONSTRAINT uncounted");
        }
        losses.round();
        assertThat(row(0)).isEqualTo("10 15 4 t");
        assertThat(record("u1")).as("restored again").isNull();
    }

    @Test
    void lossThatCannotBeRepairedHoldsUpNoOther() {
        Losses losses = losses(Set.of(5));
        for (int partition = 0; partition < PARTITIONS.count(); partition++) {
            losses.notice(lost(partition, 1, 3));
        }
        redis.command("SET", "rush:{" + PARTITIONS.all().get(3).tag() + "}:orders", "no stream");
        test.sql("UPDATE partitions SET behind_since = now() WHERE partition = 6");
        losses.round();
        for (int partition = 0; partition < PARTITIONS.count(); partition++) {
            assertThat(row(partition)).as("partition %d", partition).isEqualTo(
                    Set.of(3, 5, 6).contains(partition) ? "1 3 f" : "1 3 2 t");
        }
    }

    @Test
    void numbersThatOnlyTheLedgerHasAreALoss() {
        Losses losses = losses(Set.of());
        losses.compare(PARTITION, 7, 7, SOME_TIME_MS);
        losses.compare(PARTITION, 9, 7, SOME_TIME_MS);
        losses.round();
        losses.compare(PARTITION, 9, 7, SOME_TIME_MS);
        losses.round();
        assertThat(test.sql("SELECT count(*) FROM losses")).isEqualTo("1");
        assertThat(row(0)).startsWith("7 9 ");
    }
}
