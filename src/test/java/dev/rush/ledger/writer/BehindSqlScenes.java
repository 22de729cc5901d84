package dev.rush.ledger.writer;

import static dev.rush.ledger.OrderStatus.CONFIRMED;
import static dev.rush.ledger.OrderStatus.REJECTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.TestJournal;
import dev.rush.ledger.writer.Batch.Failed;
import dev.rush.ledger.writer.StreamEntry.Purchase;
import dev.rush.testing.Await;
import dev.rush.testing.Scene;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The promises of the writer's SQL while the ledger may lack commits, each as a scene. */
final class BehindSqlScenes {
    private static final Duration SOON = Duration.ofSeconds(10);
    private final StoreScene test;

    BehindSqlScenes(TestJournal journal) {
        test = new StoreScene(journal);
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("nothing is refused while the ledger may be behind", this::behind);
        all.put("I6: nothing is stored until the ledger is compared with Redis", this::unchecked);
        all.put("new orders wait until those that were lost are stored", this::deferred);
        all.put("new orders wait for other partitions of their sales", this::shared);
        all.put("a writer that waited for a check sees what it found", this::race);
        all.put("all orders of an entry wait together", this::entry);
        all.put("an order that is retried waits as well", this::postponed);
        all.put("an order waits for a sale that another partition may bring back",
                this::unknownSale);
        all.put("orders that are refilled from Redis are on hold", this::held);
        return all;
    }

    private void behind() {
        String sale = test.sale("a:1:0");
        Purchase first = test.order(sale, "u", "a:1");
        Purchase second = test.order(sale, "v", "a:1");
        test.journal.sql("UPDATE partitions SET behind_since = now() WHERE partition = 0");
        try {
            assertThat(test.store(first, second).failed()).containsExactly(new Failed(second,
                    "the ledger may be behind Redis: the total is already sold", false));
            assertThat(test.retry().batch().dead()).isZero();
            assertThat(test.journal.sql("SELECT tries FROM retries WHERE order_id = '"
                    + second.order() + "'")).isEqualTo("0");
        } finally {
            test.journal.sql("UPDATE partitions SET behind_since = NULL");
        }
        assertThat(test.retry().batch().refused()).hasSize(1);
        assertThat(test.statuses(first, second)).containsExactly(CONFIRMED, REJECTED);
    }

    private void unknownSale() {
        Purchase order = test.order("lost-sale", "u", "a:1");
        for (String since : List.of("now()", "'infinity'")) {
            test.journal.sql("INSERT INTO partitions (partition, behind_since) VALUES (6, " + since
                    + ") ON CONFLICT (partition) DO UPDATE SET behind_since = " + since);
            try {
                assertThat(test.store(order).failed()).as(since).containsExactly(new Failed(order,
                        "the ledger may be behind Redis: the ledger has no sale lost-sale",
                        false));
            } finally {
                test.journal.sql("UPDATE partitions SET behind_since = NULL");
                test.journal.sql("DELETE FROM retries");
            }
        }
        assertThat(test.store(order).failed()).containsExactly(
                new Failed(order, "the ledger has no sale lost-sale", true));
        test.journal.sql("DELETE FROM retries");
    }

    private void unchecked() {
        String sale = test.sale("a:1:0");
        Purchase order = test.order(sale, "u", "a:1");
        for (String unchecked : new String[] {"UPDATE ledger SET server = 0",
            "UPDATE partitions SET behind_since = 'infinity' WHERE partition = 0"}) {
            test.journal.sql(unchecked);
            try {
                assertThatThrownBy(() -> test.store(order)).as(unchecked)
                        .isInstanceOfSatisfying(LedgerFailure.class,
                                failure -> assertThat(failure.isOutage()).isTrue());
                assertThat(test.journal.find(sale, order.order())).isNull();
                assertThat(test.journal.sql("SELECT seq FROM partitions WHERE partition = 0"))
                        .isNotEqualTo(Long.toString(order.seq()));
            } finally {
                test.journal.check();
                test.journal.sql("UPDATE partitions SET behind_since = NULL");
            }
        }
        test.store(order);
        assertThat(test.status(order)).isEqualTo(CONFIRMED);
    }

    private void deferred() {
        String sale = test.sale("a:1:0");
        Purchase fresh = test.order(sale, "u", "a:1");
        Purchase lost = test.order(sale, "v", null, "a:1", System.currentTimeMillis(), 0);
        String before = seq();
        defer();
        try {
            Batch batch = test.store(fresh);
            assertThat(batch.withoutDeferred(List.of(fresh))).isEmpty();
            assertThat(batch.failed()).isEmpty();
            assertThat(batch.seq()).isZero();
            assertThat(seq()).as("it is not stored").isEqualTo(before);
            assertThat(test.store(lost).withoutDeferred(List.of(lost))).containsExactly(lost);
        } finally {
            resume();
        }
        assertThat(test.store(fresh).hasDeferred()).isFalse();
        assertThat(seq()).isEqualTo(Long.toString(fresh.seq()));
        assertThat(test.statuses(fresh, lost)).containsExactly(REJECTED, CONFIRMED);
    }

    private void shared() {
        String sale = test.sale("a:1:0");
        String other = test.sale("a:1:0");
        Purchase fresh = test.order(sale, "u", "a:1");
        String before = seq();
        test.journal.sql("UPDATE partitions SET defers = true WHERE partition IN (1, 6)");
        try {
            assertThat(test.store.defers(6)).as("it may have rains only").isTrue();
            of(other, "{1}");
            assertThat(test.store.defers(0)).as("no sale is in both").isFalse();
            of(sale, "{0,1}");
            assertThat(test.store.defers(0)).isTrue();
            assertThat(test.store(fresh).hasDeferred()).isTrue();
            assertThat(seq()).isEqualTo(before);
            test.journal.sql("UPDATE sales SET state = 'retired' WHERE sale = '" + sale + "'");
            assertThat(test.store.defers(0)).as("the sale is over").isFalse();
        } finally {
            resume();
            of(sale, "{0}");
            of(other, "{0}");
        }
        assertThat(test.store(fresh).hasDeferred()).isFalse();
    }

    /** The check finds that partition 0 is sound and 1 is not, while the writer begins. */
    private void race() throws Exception {
        String sale = test.sale("a:1:0");
        of(sale, "{0,1}");
        Purchase fresh = test.order(sale, "u", "a:1");
        test.journal.sql("UPDATE partitions SET behind_since = 'infinity' WHERE partition = 0");
        try (Connection check = test.journal.connect();
                Statement statement = check.createStatement()) {
            statement.execute("UPDATE partitions SET behind_since = NULL WHERE partition = 0");
            statement.execute("UPDATE partitions SET defers = true WHERE partition = 1");
            CompletableFuture<Batch> stored =
                    CompletableFuture.supplyAsync(() -> test.store(fresh));
            Await.until("the writer waits", SOON, () -> !test.journal.sql("SELECT count(*)"
                    + " FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND wait_event_type = 'Lock'").equals("0"));
            check.commit();
            assertThatThrownBy(stored::join).hasCauseInstanceOf(LedgerFailure.class);
            assertThat(test.store(fresh).hasDeferred()).isTrue();
        } finally {
            resume();
            of(sale, "{0}");
        }
    }

    private void of(String sale, String partitions) {
        test.journal.sql("UPDATE sales SET partitions = '" + partitions + "' WHERE sale = '"
                + sale + "'");
    }

    /** One of its orders cannot be read, and the other has a number. */
    private void entry() {
        String sale = test.sale("a:1:0");
        StreamEntry bad = new StreamEntry.Malformed("0-1", Map.of(), "invalid field user");
        defer();
        try {
            Batch batch = test.store(test.order(sale, "u", "a:1"), bad);
            assertThat(batch.failed()).isEmpty();
            assertThat(batch.withoutDeferred(List.of(bad))).isEmpty();
        } finally {
            resume();
        }
    }

    private void postponed() {
        String sale = test.sale("a:1:0");
        test.store(test.order(sale, "u", "b:1"));
        test.journal.sql("INSERT INTO items (sale, sku, total, limit_per_user) VALUES ('" + sale
                + "', 'b', 5, 0)");
        test.journal.check();
        defer();
        try {
            assertThat(test.retry().batch().failed()).hasSize(1).allSatisfy(failed ->
                    assertThat(failed.counts()).isFalse());
            assertThat(test.sold(sale)).isEqualTo("a:0,b:0");
        } finally {
            resume();
        }
        test.retry();
        assertThat(test.sold(sale)).isEqualTo("a:0,b:1");
    }

    private String seq() {
        return test.journal.sql("SELECT seq FROM partitions WHERE partition = 0");
    }

    private void defer() {
        test.journal.sql("UPDATE partitions SET behind_since = now(), defers = true"
                + " WHERE partition = 0");
    }

    private void resume() {
        test.journal.sql("UPDATE partitions SET behind_since = NULL, defers = false");
    }

    private void held() {
        String sale = test.sale(60_000, true, "a:9:0");
        Purchase fresh = test.order(sale, "u", "a:1");
        Purchase back = test.order(sale, "v", null, "a:1", System.currentTimeMillis(), 0);
        Purchase sound = test.order(sale, "w", null, "a:1", System.currentTimeMillis(), 0);
        test.journal.sql("UPDATE partitions SET behind_since = now() WHERE partition = 0");
        try {
            test.store(fresh, back);
        } finally {
            test.journal.sql("UPDATE partitions SET behind_since = NULL");
        }
        test.store(sound);
        assertThat(test.journal.sql("SELECT string_agg(user_id || ' ' || held, ', ' ORDER BY"
                + " user_id) FROM reservations WHERE sale = '" + sale + "'"))
                .isEqualTo("u false, v true, w false");
    }
}
