package dev.rush.ledger.writer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.Actor;
import dev.rush.ledger.Lines;
import dev.rush.ledger.Payment;
import dev.rush.ledger.Step;
import dev.rush.ledger.StepKind;
import dev.rush.ledger.TestJournal;
import dev.rush.ledger.writer.EndedOrders.Ended;
import dev.rush.ledger.writer.StreamEntry.Purchase;
import dev.rush.testing.Await;
import dev.rush.testing.Scene;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The promises of the SQL that stores orders which have ended, each as a scene. */
final class EndedSqlScenes {
    private static final Actor ACTOR = Actor.service("test");
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final int PARTITION = 3;
    private static final int WINDOW = 60_000;

    private final StoreScene test;
    private final TestJournal journal;
    private final EndedOrders orders;

    EndedSqlScenes(TestJournal journal) {
        this.journal = journal;
        this.test = new StoreScene(journal, PARTITION);
        this.orders = TestWriter.endedOrders(journal);
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("I11: ended orders are stored with their steps, sums and block", this::stored);
        all.put("only the first order of a buyer in a sale with limits has no claim",
                this::claims);
        all.put("without limits, ended orders claim their keys", this::claimsWithoutLimits);
        all.put("I11: ended orders whose id or key is known are skipped", this::known);
        all.put("ended orders that contradict their sale are skipped", this::forged);
        all.put("ended orders are stored only while their partition is behind", this::behind);
        all.put("ended orders wait for the partition's writer", this::locked);
        return all;
    }

    private static Ended ended(String sale, UUID id, String user, @Nullable String key,
            String lines, long at) {
        Purchase purchase = new Purchase("record", id, sale, user, key, "=", lines, "7",
                Lines.quantities(lines), at, 77, 0);
        return new Ended(purchase, true, List.of(step(sale, id, 1, StepKind.EXPIRED),
                step(sale, id, 2, StepKind.CREDITED)));
    }

    private static Ended ended(String sale, UUID id, String user, @Nullable String key) {
        return ended(sale, id, user, key, "a:2", System.currentTimeMillis());
    }

    private static Step step(String sale, UUID id, int number, StepKind kind) {
        return new Step(id, number, kind, PARTITION, sale, 0, ACTOR, null, Payment.NONE);
    }

    private int store(String sale, Ended... ended) {
        journal.sql("INSERT INTO partitions (partition, behind_since) VALUES (3, now())"
                + " ON CONFLICT (partition) DO UPDATE SET behind_since = now()");
        try {
            return storeNow(sale, ended);
        } finally {
            journal.sql("UPDATE partitions SET behind_since = NULL");
        }
    }

    private int storeNow(String sale, Ended... ended) {
        return journal.transact((connection, ledgerState) ->
                orders.store(connection, ledgerState, sale, PARTITION, List.of(ended)));
    }

    private static UUID id() {
        return UUID.randomUUID();
    }

    private String claims(String sale) {
        return journal.sql("SELECT string_agg(concat_ws(' ', user_id, key,"
                + " COALESCE('<' || claim || '>', 'none')), ', ' ORDER BY user_id, key)"
                + " FROM orders WHERE sale = '" + sale + "'");
    }

    /** The numbers of orders in blocks of orders without a number. */
    private String blocks(String sale) {
        return journal.sql("SELECT string_agg(orders::text, ' ') FROM blocks WHERE first_seq = 0"
                + " AND subjects = ARRAY['" + sale + "']");
    }

    private void stored() {
        String sale = test.sale(WINDOW, true, "a:3:0");
        UUID one = id();
        long at = System.currentTimeMillis();
        assertThat(store(sale, ended(sale, one, "u1", null, "a:2", at),
                ended(sale, id(), "u2", "k"))).isEqualTo(2);
        assertThat(journal.sql("SELECT concat_ws(' ', seq, placed_at_ms, pay_by_ms, partition,"
                + " user_id, digest, lines, lefts) FROM orders WHERE id = '" + one + "'"))
                .isEqualTo("0 " + at + " " + (at + WINDOW) + " 3 u1 = a:2 7");
        assertThat(journal.sql("SELECT string_agg(concat_ws(' ', step, kind, partition, sale = '"
                + sale + "'), ', ' ORDER BY place) FROM steps WHERE order_id = '" + one + "'"))
                .isEqualTo("1 expired 3 t, 2 credited 3 t");
        assertThat(journal.sums(sale)).isEqualTo(journal.recount(sale))
                .isEqualTo("a 4 0 0 4 0 4");
        assertThat(journal.sold(sale)).isEqualTo("a 0");
        assertThat(journal.sql("SELECT string_agg(concat_ws(' ', b.partition, b.first_seq,"
                + " b.last_seq, b.places_before, b.orders, b.subjects, b.epoch = (SELECT epoch"
                + " FROM ledger)), ', ') FROM blocks b WHERE b.subjects = ARRAY['" + sale + "']"))
                .isEqualTo("3 0 0 0 2 {" + sale + "} t");
        assertThat(journal.sql("SELECT count(*) FROM orders o JOIN blocks b USING (month, block)"
                + " WHERE o.sale = '" + sale + "'")).isEqualTo("2");
    }

    private void claims() {
        String sale = test.sale("a:9:5", "b:9:0");
        String other = journal.sale("a:9:5");
        journal.order(sale, "u1", "k0", "a:1", 0);
        journal.order(sale, "u2", "k0", "a:1", 0);
        journal.order(other, "u3", "k0", "a:1", 0);
        journal.sql("UPDATE orders SET claim = CASE user_id WHEN 'u2' THEN 'k0' ELSE '' END"
                + " WHERE sale IN ('" + sale + "', '" + other + "')");
        List<UUID> two = Stream.of(id(), id()).sorted(Comparator.comparing(UUID::toString))
                .toList();
        store(sale, ended(sale, id(), "u1", "k1"), ended(sale, id(), "u2", "k1"),
                ended(sale, id(), "u3", "k1"), ended(sale, two.get(1), "u4", "k2"),
                ended(sale, two.get(0), "u4", "k1"), ended(sale, id(), "u1", null));
        assertThat(claims(sale)).isEqualTo("u1 k0 <>, u1 k1 <k1>, u1 none, u2 k0 <k0>, u2 k1 <>,"
                + " u3 k1 <>, u4 k1 <>, u4 k2 <k2>");
    }

    private void claimsWithoutLimits() {
        String sale = test.sale("a:9:0");
        store(sale, ended(sale, id(), "u1", "k1"), ended(sale, id(), "u2", null));
        assertThat(claims(sale)).isEqualTo("u1 k1 <k1>, u2 none");
    }

    private void known() {
        String sale = test.sale("a:9:5");
        UUID known = journal.order(sale, "u1", "k", "a:1", 0);
        journal.order(sale, "u1", "first", "a:1", 0);
        journal.sql("UPDATE orders SET claim = '' WHERE key = 'first' AND sale = '" + sale + "'");
        List<String> before = List.of(journal.sums(sale), claims(sale));
        assertThat(store(sale, ended(sale, known, "u9", "other"), ended(sale, id(), "u1", "k"),
                ended(sale, id(), "u1", "first"))).isZero();
        assertThat(List.of(journal.sums(sale), claims(sale))).isEqualTo(before);
        assertThat(journal.sql("SELECT count(*) FROM steps WHERE sale = '" + sale + "'"))
                .isEqualTo("0");
        assertThat(blocks(sale)).isNull();
        assertThat(store(sale, ended(sale, known, "u9", "other"), ended(sale, id(), "u0", "k")))
                .isEqualTo(1);
        assertThat(blocks(sale)).isEqualTo("1");
    }

    private void forged() {
        String sale = test.sale("a:99:0");
        long now = System.currentTimeMillis();
        assertThat(store(sale, ended(sale, id(), "u1", "k", "pear:1", now),
                ended(sale, id(), "u2", "k", "a:11", now), ended(sale, id(), "u3", "k", "a:1", 7),
                ended(sale, id(), "u4", "k", "a:1", now))).isEqualTo(1);
        assertThat(claims(sale)).isEqualTo("u4 k <k>");
        assertThat(store("none", ended("none", id(), "u1", "k"))).isZero();
    }

    private void behind() {
        String sale = test.sale("a:9:0");
        store(sale);
        assertThat(storeNow(sale, ended(sale, id(), "u1", "k"))).isZero();
        for (String since : List.of("'infinity' WHERE partition = 3",
                "now() WHERE partition <> 3")) {
            journal.sql("UPDATE partitions SET behind_since = " + since);
            try {
                assertThat(storeNow(sale, ended(sale, id(), "u1", "k"))).as(since).isZero();
            } finally {
                journal.sql("UPDATE partitions SET behind_since = NULL");
            }
        }
        assertThat(store(sale, ended(sale, id(), "u1", "k"))).isEqualTo(1);
    }

    private void locked() throws Exception {
        String sale = test.sale("a:9:0");
        store(sale);
        journal.sql("UPDATE partitions SET behind_since = now() WHERE partition = 3");
        CompletableFuture<Integer> stored;
        try (Connection writer = journal.connect(); Statement fence = writer.createStatement()) {
            writer.setAutoCommit(false);
            fence.execute("SELECT * FROM partitions WHERE partition = 3 FOR NO KEY UPDATE");
            stored = CompletableFuture.supplyAsync(() ->
                    storeNow(sale, ended(sale, id(), "u1", "k")));
            Await.until("it waits", SOON, () -> stored.isDone() || !journal.sql("SELECT count(*)"
                    + " FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND wait_event_type = 'Lock'").equals("0"));
            assertThat(stored).isNotDone();
            fence.execute("UPDATE partitions SET behind_since = NULL WHERE partition = 3");
            writer.commit();
        }
        assertThat(stored.join()).as("by then the partition is no longer behind").isZero();
    }
}
