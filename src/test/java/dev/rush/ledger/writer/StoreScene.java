package dev.rush.ledger.writer;

import dev.rush.http.Json;
import dev.rush.ledger.Lines;
import dev.rush.ledger.OrderStatus;
import dev.rush.ledger.TestJournal;
import dev.rush.ledger.writer.StreamEntry.Grab;
import dev.rush.ledger.writer.StreamEntry.Purchase;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A writer of a partition of a journal, and entries for it. */
final class StoreScene {
    final TestJournal journal;
    final Buyers buyers = new Buyers();
    final BatchStore store;
    private final int partition;

    /** A writer of partition 0. */
    StoreScene(TestJournal journal) {
        this(journal, 0);
    }

    StoreScene(TestJournal journal, int partition) {
        this.journal = journal;
        this.partition = partition;
        Json json = new Json();
        store = new BatchStore(journal.ledger,
                new OrderStore(new SaleTerms(journal.config, json), buyers), new GrabStore(),
                new Retries(json, journal.config));
    }

    /** A sale of items "sku:total:limit", prepared an hour ago. */
    String sale(long window, boolean returnsLimit, String... items) {
        String sale = journal.sale(items);
        journal.sql("UPDATE sales SET payment_window_ms = " + window + ", returns_limit = "
                + returnsLimit + ", prepared_at = now() - interval '1 hour',"
                + " definition = '{\"maxQuantity\":10}' WHERE sale = '" + sale + "'");
        return sale;
    }

    String sale(String... items) {
        return sale(0, true, items);
    }

    /** An order with the next number of the partition. */
    Purchase order(String sale, String user, String key, String lines) {
        return order(sale, user, key, lines, System.currentTimeMillis(), nextSeq());
    }

    Purchase order(String sale, String user, String lines) {
        return order(sale, user, null, lines);
    }

    Purchase order(String sale, String user, String key, String lines, long at, long seq) {
        return new Purchase("0-1", UUID.randomUUID(), sale, user, key, "=", lines, "1",
                Lines.quantities(lines), at, 77, seq);
    }

    Grab grab(String rain, String user, String key, long number, long nth, long amount) {
        return new Grab("0-1", UUID.randomUUID(), rain, user, key, number, nth, amount,
                System.currentTimeMillis(), nextSeq());
    }

    String rain(long envelopes, long amount, long limit) {
        String rain = journal.id("rain");
        journal.sql("INSERT INTO rains (rain, month, partition, definition, state, envelopes,"
                + " amount, limit_per_user) VALUES ('" + rain + "', " + TestJournal.MONTH
                + ", 0, '{}', 'loaded', " + envelopes + ", " + amount + ", " + limit + ")");
        return rain;
    }

    long nextSeq() {
        return Long.parseLong(journal.sql("SELECT nextval('positions')"));
    }

    long token() {
        return Long.parseLong(journal.sql(
                "SELECT token FROM partitions WHERE partition = " + partition));
    }

    Batch store(StreamEntry... entries) {
        return store(token(), entries);
    }

    Batch store(long token, StreamEntry... entries) {
        return store.store(partition, token, List.of(entries));
    }

    /** Retries failed entries at once. */
    Retried retry() {
        journal.sql("UPDATE retries SET next_at = now() WHERE state = 'retrying'");
        Batch all = new Batch();
        List<StreamEntry> tried = new ArrayList<>();
        Long nextMs = store.retry(partition, token(), (entry, batch) -> {
            tried.add(entry);
            all.add(batch);
        });
        return new Retried(all, tried, nextMs);
    }

    /** The results of retries; the milliseconds until the next one are null if there is none. */
    record Retried(Batch batch, List<StreamEntry> tried, @Nullable Long nextMs) {
    }

    OrderStatus status(Purchase order) {
        return journal.find(order.sale(), order.order()).status();
    }

    List<OrderStatus> statuses(Purchase... orders) {
        return Arrays.stream(orders).map(this::status).toList();
    }

    String sold(String sale) {
        return journal.sql("SELECT string_agg(sku || ':' || sold, ',' ORDER BY sku) FROM items"
                + " WHERE sale = '" + sale + "'");
    }

    /** Sums of a sale: stored, reserved, confirmed and rejected. */
    String sums(String sale) {
        return journal.sql("SELECT concat_ws(' ', sum(stored), sum(reserved), sum(confirmed),"
                + " sum(rejected)) FROM sums WHERE sale = '" + sale + "'");
    }
}
