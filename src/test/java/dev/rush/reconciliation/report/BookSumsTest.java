package dev.rush.reconciliation.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.Sums.Column;
import dev.rush.ledger.TestJournal;
import dev.rush.reconciliation.report.BookSums.Shard;
import dev.rush.testing.Environments;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The ledger's side of the books, on a real PostgreSQL. */
class BookSumsTest {
    private static final Place APPLE = new Place(0, "a");
    private static TestJournal test;

    @BeforeAll
    static void start() {
        test = new TestJournal(Environments.ledger().freshDatabase());
    }

    @AfterAll
    static void stop() throws Exception {
        test.close();
    }

    @BeforeEach
    void clear() {
        test.sql("DELETE FROM orders");
    }

    private static SaleSums read(String sale, long seq, long redisMs,
            Map<String, String> waiting) {
        return test.ledger.readSnapshot((connection, ledgerState) -> BookSums.read(connection,
                Map.of(sale, List.of(new Shard(0, seq, redisMs, waiting))),
                List.of(TestJournal.MONTH))).get(sale);
    }

    private static SaleSums read(String sale) {
        return read(sale, 1_000_000, 1_000_000, Map.of());
    }

    /** Stores an order with this number and time. */
    private static UUID order(String sale, String lines, long payBy, long seq, long atMs) {
        UUID order = test.order(sale, "u", null, lines, payBy);
        test.sql("UPDATE orders SET seq = " + seq + ", placed_at_ms = " + atMs
                + " WHERE id = '" + order + "'");
        return order;
    }

    private static void step(UUID order, int step, String kind) {
        test.sql("INSERT INTO steps (month, order_id, step, kind, epoch, partition, sale, actor)"
                + " VALUES (" + TestJournal.MONTH + ", '" + order + "', " + step + ", '" + kind
                + "', 1, 0, 's', 'service:test')");
    }

    private static void failed(String sale, String order, String lines, String state, long seq) {
        test.sql("INSERT INTO retries (partition, fingerprint, kind, subject, order_id, seq,"
                + " at_ms, fields, reason, tries, state) VALUES (0, '" + UUID.randomUUID()
                + "', 'purchase', '" + sale + "', '" + order + "', " + seq + ", " + seq
                + ", '{\"lines\": \"" + lines + "\"}', 'r', 1, '" + state + "')");
    }

    @Test
    void sumsAreThoseOfAllSlots() {
        String sale = test.sale("a:9:0", "b:5:1");
        order(sale, "a:2,b:1", 0, 1, 1);
        test.sql("INSERT INTO sums (sale, partition, sku, slot, confirmed, returned) VALUES ('"
                + sale + "', 0, 'a', 3, -1, 1)");
        SaleSums sums = read(sale);
        assertThat(sums.isLoaded()).isTrue();
        assertThat(sums.items()).containsOnlyKeys("a", "b")
                .containsEntry("a", new SaleSums.Item(9, 2));
        assertThat(sums.sums().get(APPLE)).isEqualTo(Units.NONE.plus(Column.STORED, 2)
                .plus(Column.CONFIRMED, 1).plus(Column.RETURNED, 1));
        assertThat(sums.ownDrift("a")).isEqualTo(1);
        assertThat(sums.ownDrift("b")).isZero();
        test.sql("UPDATE sums SET stored = 2 WHERE sale = '" + sale + "' AND sku = 'b'");
        assertThat(read(sale).ownDrift("b")).isEqualTo(1);
        assertThat(read("no-sale")).isNull();
    }

    @Test
    void laterOrdersAreRecognizedByNumberAndTime() {
        String sale = test.sale("a:99:0");
        String other = test.sale("a:99:0");
        order(sale, "a:1", 0, 10, 100);
        order(sale, "a:2", 0, 11, 99);
        order(sale, "a:4", 0, 10, 101);
        order(sale, "a:8", 0, 11, 100);
        order(other, "a:16", 0, 11, 100);
        step(order(sale, "a:32", 7, 12, 100), 1, "expired");
        UUID returned = order(sale, "a:3", 0, 13, 100);
        step(returned, 1, "returned");
        step(returned, 2, "credited");
        test.sql("INSERT INTO rejected SELECT gen_random_uuid(), month, block, 12, 100,"
                + " pay_by_ms, partition, sale, user_id, key, digest, 'a:5', lefts, NULL, 'limit'"
                + " FROM orders WHERE id = '" + returned + "'");
        SaleSums sums = read(sale, 10, 100, Map.of());
        assertThat(sums.after().get(APPLE)).isEqualTo(Units.NONE.plus(Column.STORED, 8 + 32 + 3)
                .plus(Column.CONFIRMED, 8).plus(Column.EXPIRED, 32).plus(Column.RETURNED, 3)
                .plus(Column.REJECTED, 5));
        assertThat(sums.full()).isFalse();
        assertThat(read(sale).after()).isEmpty();
    }

    @Test
    void salesOfOnePartitionHaveTheirOwnInstants() {
        String early = test.sale("a:99:0");
        String late = test.sale("a:99:0");
        order(early, "a:1", 0, 20, 200);
        order(late, "a:2", 0, 21, 200);
        Map<String, SaleSums> sums = test.ledger.readSnapshot((connection, ledgerState) ->
                BookSums.read(connection, Map.of(early,
                        List.of(new Shard(0, 19, 200, Map.of())), late,
                        List.of(new Shard(0, 21, 200, Map.of()))), List.of(TestJournal.MONTH)));
        assertThat(sums.get(early).after()).containsOnlyKeys(APPLE);
        assertThat(sums.get(late).after()).isEmpty();
    }

    @Test
    void failedAndWaitingOrdersCountOnceAndNotIfStored() {
        String sale = test.sale("a:99:0");
        UUID stored = order(sale, "a:1", 0, 1, 1);
        String dead = UUID.randomUUID().toString();
        failed(sale, dead, "a:2", "waiting", 2);
        failed(sale, UUID.randomUUID().toString(), "a:4", "retrying", 3);
        failed(sale, UUID.randomUUID().toString(), "a:8", "replayed", 4);
        failed(sale, UUID.randomUUID().toString(), "no lines", "waiting", 5);
        failed(sale, UUID.randomUUID().toString(), "a:16", "waiting", 2_000_000);
        failed(sale, stored.toString(), "a:1", "waiting", 1);
        String waits = UUID.randomUUID().toString();
        SaleSums sums = read(sale, 1_000_000, 1_000_000,
                Map.of(stored.toString(), "a:1", dead, "a:2", waits, "a:32", "no-id", "a:64"));
        assertThat(sums.failed()).isEqualTo(Map.of(APPLE, 6L));
        assertThat(sums.waiting()).isEqualTo(Map.of(APPLE, 96L));
    }

    @Test
    void lossesCountSinceTheSaleWasPrepared() {
        String sale = test.sale("a:9:0");
        test.sql("INSERT INTO losses (partition, low, high, noticed_at_ms, lost, noticed_at)"
                + " VALUES (0, 1, 9, 1, 3, now()), (0, 11, 19, 1, 4, now() - interval '1 day'),"
                + " (1, 1, 9, 1, 5, now()), (0, 21, 29, 1, NULL, now())");
        assertThat(read(sale).lost()).isEqualTo(3);
    }

    @Test
    void tooManyLaterOrdersAreReported() {
        String sale = test.sale("a:99:0");
        UUID first = order(sale, "a:1", 0, 5_000_000, 5_000_000);
        test.sql("INSERT INTO orders SELECT gen_random_uuid(), month, block, seq + i,"
                + " placed_at_ms, pay_by_ms, partition, sale, 'u' || i, key, digest, lines, lefts"
                + " FROM orders, generate_series(1, " + (BookSums.AFTER_MAX - 1)
                + ") AS i WHERE id = '" + first + "'");
        assertThat(read(sale, 4_999_999, 1, Map.of()).full()).isTrue();
        assertThat(read(sale, 5_000_000, 1, Map.of()).full()).isFalse();
        // Redis was emptied: numbers are given out again, and all that was stored is above them.
        order(sale, "a:3", 0, 5_000_500, 5_000_001);
        SaleSums emptied = read(sale, 0, 5_000_001, Map.of());
        assertThat(emptied.full()).isFalse();
        assertThat(emptied.after().get(APPLE).of(Column.STORED)).isEqualTo(3);
    }
}
