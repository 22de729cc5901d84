package dev.rush.ledger.writer;

import static dev.rush.ledger.OrderStatus.CONFIRMED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.TestJournal;
import dev.rush.ledger.writer.Batch.Failed;
import dev.rush.ledger.writer.StreamEntry.Purchase;
import dev.rush.testing.Scene;
import java.util.LinkedHashMap;
import java.util.Map;

/** How the writer stores orders after the ledger has lost commits, each as a scene. */
final class LostSqlScenes {
    private final StoreScene test;

    LostSqlScenes(TestJournal journal) {
        test = new StoreScene(journal);
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("a refilled order that did not fit at first is on hold", this::heldLate);
        all.put("an order of a lost sale is retried", this::lostSale);
        return all;
    }

    private void heldLate() {
        String sale = test.sale(60_000, true, "a:9:0");
        test.store(test.order(sale, "u", "a:1"));
        Purchase late = test.order(sale, "v", null, "a:9", System.currentTimeMillis(), 0);
        test.journal.sql("UPDATE partitions SET behind_since = now() WHERE partition = 0");
        try {
            assertThat(test.store(late).failed()).hasSize(1);
        } finally {
            test.journal.sql("UPDATE partitions SET behind_since = NULL");
        }
        test.journal.sql("UPDATE items SET total = 10 WHERE sale = '" + sale + "'");
        assertThat(test.retry().batch().refused()).isEmpty();
        assertThat(test.journal.sql("SELECT string_agg(user_id || ' ' || held, ', ' ORDER BY"
                + " user_id) FROM reservations WHERE sale = '" + sale + "'"))
                .isEqualTo("u false, v true");
    }

    private void lostSale() {
        String sale = test.sale("a:9:0");
        test.store(test.order(sale, "u", "a:1"));
        test.journal.sql("UPDATE items SET sku = 'gone' WHERE sale = '" + sale + "'");
        Purchase kept = test.order(sale, "v", "a:1");
        Batch batch = test.store(kept);
        assertThat(batch.refused()).isEmpty();
        assertThat(batch.failed()).containsExactly(
                new Failed(kept, "the ledger has no sale " + sale, true));
        test.journal.sql("UPDATE items SET sku = 'a' WHERE sale = '" + sale + "'");
        test.retry();
        assertThat(test.status(kept)).isEqualTo(CONFIRMED);
        test.journal.sql("UPDATE sales SET definition = '{\"maxQuantity\":1}'"
                + " WHERE sale = '" + sale + "'");
        test.journal.check();
        assertThat(test.store(test.order(sale, "w", "a:2")).failed()).as("terms of before")
                .hasSize(1);
        test.journal.sql("DELETE FROM retries");
    }
}
