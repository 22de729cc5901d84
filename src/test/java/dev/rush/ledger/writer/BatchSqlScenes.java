package dev.rush.ledger.writer;

import static dev.rush.ledger.OrderStatus.CONFIRMED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.TestJournal;
import dev.rush.ledger.writer.StreamEntry.Purchase;
import dev.rush.testing.Scene;
import java.util.LinkedHashMap;
import java.util.Map;

/** How the writer divides its transactions, and what it assumes about their buyers. */
final class BatchSqlScenes {
    private final StoreScene test;

    BatchSqlScenes(TestJournal journal) {
        test = new StoreScene(journal);
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("a block of the journal has the numbers of its orders", this::journal);
        all.put("a transaction has a block for every thousand numbers", this::blocks);
        all.put("blocks of two months share the places of their transaction", this::twoMonths);
        all.put("a pod that guessed wrong about a buyer reads the earlier orders of all",
                this::wrongGuess);
        return all;
    }

    private void journal() {
        String sale = test.sale("a:9:0");
        Purchase first = test.order(sale, "u", "a:1");
        Purchase last = test.order(sale, "v", "a:1");
        test.store(first, last);
        assertThat(test.journal.sql("SELECT concat_ws(' ', first_seq, last_seq, b.orders,"
                + " subjects, epoch = (SELECT epoch FROM ledger)) FROM blocks b JOIN orders o"
                + " ON o.block = b.block WHERE o.id = '" + first.order() + "'"))
                .isEqualTo(first.seq() + " " + last.seq() + " 2 {" + sale + "} t");
        assertThat(test.journal.sql("SELECT seq FROM partitions WHERE partition = 0"))
                .isEqualTo(Long.toString(last.seq()));
        Purchase back = test.order(sale, "w", null, "a:1", System.currentTimeMillis(), 0);
        Purchase lone = test.order(sale, "x", null, "a:1", System.currentTimeMillis(), 0);
        Purchase beside = test.order(sale, "y", "a:1");
        test.store(back, beside);
        test.store(lone);
        assertThat(range(back)).as("an order without a number is in a block of its own")
                .isEqualTo("0 0");
        assertThat(range(beside)).isEqualTo(beside.seq() + " " + beside.seq());
        assertThat(range(lone)).isEqualTo("0 0");
    }

    private String range(Purchase order) {
        return test.journal.sql("SELECT first_seq || ' ' || last_seq FROM blocks b JOIN orders o"
                + " ON o.block = b.block WHERE o.id = '" + order.order() + "'");
    }

    private void blocks() {
        String sale = test.sale("a:2:0");
        long seq = Long.parseLong(
                test.journal.sql("SELECT seq FROM partitions WHERE partition = 0"));
        long now = System.currentTimeMillis();
        test.store(test.order(sale, "u", null, "a:1", now, seq + 1),
                test.order(sale, "v", null, "a:1", now, seq + 1_000),
                test.order(sale, "w", null, "a:1", now, seq + 1_001));
        assertThat(test.journal.sql("SELECT string_agg(concat_ws(' ', o.seq - " + seq
                + ", b.first_seq - " + seq + ", b.last_seq - " + seq
                + ", b.places_before, b.orders), ', '"
                + " ORDER BY b.block, o.seq) FROM blocks b JOIN (SELECT block, seq, sale"
                + " FROM orders UNION ALL SELECT block, seq, sale FROM rejected) o USING (block)"
                + " WHERE o.sale = '" + sale + "'"))
                .as("number, first, last, place before and count; the third is refused")
                .isEqualTo("1 1 1000 0 2, 1000 1 1000 0 2, 1001 1001 1001 2 1");
        test.store(test.order(sale, "x", null, "a:1", now, seq + 5_000),
                test.order(sale, "y", null, "a:1", now, 7));
        assertThat(test.journal.sql("SELECT string_agg(last_seq - first_seq || ' ' || orders, ', '"
                + " ORDER BY block) FROM (SELECT * FROM blocks ORDER BY block DESC LIMIT 2) b"))
                .as("a replayed order with an old number widens no block").isEqualTo("0 1, 0 1");
        test.journal.sql("UPDATE partitions SET seq = " + seq + " WHERE partition = 0");
    }

    private void twoMonths() {
        test.journal.sql("SELECT ensure_month(202501)");
        String earlier = test.sale("a:9:0");
        test.journal.sql("UPDATE sales SET month = 202501 WHERE sale = '" + earlier + "'");
        String sale = test.sale("a:9:0");
        test.store(test.order(sale, "u", "a:1"), test.order(earlier, "u", "a:1"),
                test.order(sale, "v", "a:1"), test.order(earlier, "v", "a:1"));
        assertThat(test.journal.sql("SELECT string_agg(concat_ws(' ', month = 202501,"
                + " places_before, orders), ', ' ORDER BY month) FROM blocks"
                + " WHERE subjects = '{" + sale + "}' OR subjects = '{" + earlier + "}'"))
                .as("an earlier month, places before, orders").isEqualTo("t 0 2, f 2 2");
    }

    private void wrongGuess() {
        String sale = test.sale("a:9:5");
        test.store(test.order(sale, "u", "a:1"));
        StoreScene other = new StoreScene(test.journal);
        Purchase second = other.order(sale, "u", "a:1");
        assertThat(other.buyers.maybe(sale, "u")).isFalse();
        other.store(second);
        assertThat(other.status(second)).isEqualTo(CONFIRMED);
        assertThat(other.buyers.maybe(sale, "v")).as("another buyer's are read too").isTrue();
    }
}
