package dev.rush.ledger.writer;

import static dev.rush.ledger.OrderStatus.CONFIRMED;
import static dev.rush.ledger.OrderStatus.REJECTED;
import static dev.rush.ledger.OrderStatus.RESERVED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.rush.ledger.TestJournal;
import dev.rush.ledger.writer.Batch.Failed;
import dev.rush.ledger.writer.StreamEntry.Purchase;
import dev.rush.testing.Scene;
import java.util.LinkedHashMap;
import java.util.Map;

/** The promises of the writer's SQL, each as a scene with its own ids. */
final class WriterSqlScenes {
    private final StoreScene test;

    WriterSqlScenes(TestJournal journal) {
        test = new StoreScene(journal);
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("I1: an item is sold to the last unit, and not beyond", this::total);
        all.put("I1: an order of several items is sold whole or not at all", this::wholeOrders);
        all.put("I4: no user exceeds the limit, remembered by the pod or not", this::limit);
        all.put("I4: rejected orders never count against the limit", this::rejectedLimit);
        all.put("I4: returned units count only if the sale says so", this::returnedLimit);
        all.put("I5: a redelivered order counts once, also among new ones", this::redelivery);
        all.put("I5: a refused order stays refused when it is redelivered", this::refusedAgain);
        all.put("I7: an order with another order's key is rejected", this::keys);
        all.put("I7: so is one whose key is the id of an order without a key", this::idsAsKeys);
        all.put("I15: only the holder of the lease stores", this::fence);
        all.put("I15: the sale, not the entry, determines when an order must be paid", this::payBy);
        all.put("I15: a failed entry is retried, and then waits as a dead letter", this::retries);
        all.put("I15: an order of a sale that is not released yet is retried", this::unreleased);
        all.put("I15: a failed entry is kept, whatever its names and values are", this::anyText);
        return all;
    }

    private void total() {
        String sale = test.sale("a:3:0");
        Purchase first = test.order(sale, "u", "a:1");
        Purchase second = test.order(sale, "v", "a:2");
        Purchase third = test.order(sale, "w", "a:1");
        assertThat(test.store(first).refused()).isEmpty();
        assertThat(test.store(second).refused()).isEmpty();
        Batch batch = test.store(third);
        assertThat(batch.failed()).isEmpty();
        assertThat(batch.refused()).containsExactly(new Batch.Refused(false, sale, "w",
                third.order(), "the total is already sold", false));
        assertThat(test.statuses(first, second, third))
                .containsExactly(CONFIRMED, CONFIRMED, REJECTED);
        assertThat(test.sold(sale)).isEqualTo("a:3");
        assertThat(test.sums(sale)).isEqualTo("3 0 3 1");
        assertThat(test.journal.sql("SELECT concat_ws(' ', kind, step, actor, cause) FROM steps"
                + " WHERE order_id = '" + third.order() + "'"))
                .isEqualTo("rejected 0 service:guard the total is already sold");
    }

    private void wholeOrders() {
        String sale = test.sale("a:2:0", "b:9:0");
        Purchase first = test.order(sale, "u", "a:2,b:1");
        Purchase second = test.order(sale, "v", "b:2,a:1");
        Purchase third = test.order(sale, "w", "b:3");
        test.store(first);
        test.store(second, third);
        assertThat(test.statuses(first, second, third))
                .containsExactly(CONFIRMED, REJECTED, CONFIRMED);
        assertThat(test.sold(sale)).isEqualTo("a:2,b:4");
    }

    private void limit() {
        String sale = test.sale("a:9:2", "b:9:0");
        Purchase first = test.order(sale, "u", "k", "a:1");
        Purchase second = test.order(sale, "u", "l", "a:1");
        test.store(first);
        StoreScene another = new StoreScene(test.journal);
        assertThat(another.store(second).refused()).isEmpty();
        Purchase third = test.order(sale, "u", "m", "a:1");
        Purchase other = test.order(sale, "v", "m", "a:2");
        assertThat(new StoreScene(test.journal).store(third, other).refused()).hasSize(1);
        Purchase unlimited = test.order(sale, "u", "n", "b:1");
        test.store(unlimited);
        assertThat(test.statuses(first, second, third, other, unlimited))
                .containsExactly(CONFIRMED, CONFIRMED, REJECTED, CONFIRMED, CONFIRMED);
        assertThat(test.sold(sale)).isEqualTo("a:4,b:1");
        assertThat(test.journal.sql("SELECT string_agg(claim, ',' ORDER BY seq) FROM orders"
                + " WHERE sale = '" + sale + "'")).isEqualTo(",l,,n");
    }

    private void rejectedLimit() {
        String sale = test.sale("a:0:1");
        Purchase rejected = test.order(sale, "u", "a:1");
        test.store(rejected);
        test.journal.sql("UPDATE items SET total = 5 WHERE sale = '" + sale + "'");
        Purchase later = test.order(sale, "u", "a:1");
        test.store(later);
        assertThat(test.statuses(rejected, later)).containsExactly(REJECTED, CONFIRMED);
    }

    private void returnedLimit() {
        for (boolean returnsLimit : new boolean[] {true, false}) {
            String sale = test.sale(0, returnsLimit, "a:5:1");
            Purchase first = test.order(sale, "u", "a:1");
            test.store(first);
            String step = "INSERT INTO steps (month, order_id, step, kind, epoch, partition, sale,"
                    + " actor) VALUES (" + TestJournal.MONTH + ", '" + first.order()
                    + "', %d, '%s', 1, 0, '" + sale + "', 'service:test')";
            test.journal.sql(step.formatted(1, "returned"));
            test.journal.sql(step.formatted(2, "credited"));
            Purchase second = test.order(sale, "u", "a:1");
            test.store(second);
            assertThat(test.status(second)).isEqualTo(returnsLimit ? CONFIRMED : REJECTED);
        }
    }

    private void redelivery() {
        String sale = test.sale(60_000, true, "a:9:9");
        Purchase first = test.order(sale, "u", "a:1");
        Purchase second = test.order(sale, "u", "k", "a:1");
        Purchase last = test.order(sale, "u", "a:1");
        test.store(first);
        test.store(first);
        Batch batch = test.store(first, second, last, second);
        assertThat(batch.failed()).isEmpty();
        assertThat(batch.refused()).isEmpty();
        Purchase unnumbered = test.order(sale, "v", null, "a:1", System.currentTimeMillis(), 0);
        test.store(unnumbered);
        test.store(unnumbered);
        assertThat(test.statuses(first, second, last, unnumbered)).containsOnly(RESERVED);
        assertThat(test.sold(sale)).isEqualTo("a:4");
        assertThat(test.sums(sale)).isEqualTo("4 4 0 0");
        assertThat(test.journal.sql("SELECT count(*) FROM reservations WHERE sale = '" + sale
                + "'")).isEqualTo("4");
    }

    private void refusedAgain() {
        String sale = test.sale("a:0:0");
        Purchase order = test.order(sale, "u", "a:1");
        test.store(order);
        test.journal.sql("UPDATE items SET total = 5 WHERE sale = '" + sale + "'");
        assertThat(test.store(order, test.order(sale, "v", "a:1")).refused()).containsExactly(
                new Batch.Refused(false, sale, "u", order.order(), "the total is already sold",
                        true));
        assertThat(test.status(order)).isEqualTo(REJECTED);
        assertThat(test.sums(sale)).isEqualTo("1 0 1 1");
    }

    private void keys() {
        for (String limit : new String[] {"0", "9"}) {
            String sale = test.sale("a:9:" + limit);
            Purchase first = test.order(sale, "u", "k", "a:1");
            Purchase second = test.order(sale, "u", "l", "a:1");
            test.store(first, second);
            Purchase reused = test.order(sale, "u", "k", "a:2");
            Purchase again = test.order(sale, "u", "l", "a:2");
            Purchase fresh = test.order(sale, "u", "m", "a:1");
            Purchase another = test.order(sale, "v", "k", "a:1");
            assertThat(new StoreScene(test.journal).store(reused, again, fresh, another).refused())
                    .extracting(Batch.Refused::reason)
                    .containsOnly("its idempotency key belongs to another order").hasSize(2);
            assertThat(test.statuses(reused, again, fresh, another))
                    .containsExactly(REJECTED, REJECTED, CONFIRMED, CONFIRMED);
            assertThat(test.sold(sale)).isEqualTo("a:4");
        }
    }

    /** The same with an id as the service creates them. */
    private static Purchase numbered(Purchase one) {
        return new Purchase(one.id(), UuidCreator.getTimeOrderedEpochFast(), one.sale(),
                one.user(), one.key(), one.digest(), one.lines(), one.lefts(), one.quantities(),
                one.placedAt(), one.payBy(), one.seq());
    }

    private void idsAsKeys() {
        for (String limit : new String[] {"0", "9"}) {
            String sale = test.sale("a:9:" + limit);
            Purchase first = numbered(test.order(sale, "u", "a:1"));
            test.store(first);
            Purchase repeated = test.order(sale, "u", first.name(), "a:1");
            Purchase another = test.order(sale, "v", first.name(), "a:1");
            test.store(repeated, another);
            assertThat(test.statuses(first, repeated, another))
                    .containsExactly(CONFIRMED, REJECTED, CONFIRMED);
        }
    }

    private void fence() {
        String sale = test.sale("a:9:0");
        long token = test.token();
        test.journal.sql("UPDATE partitions SET token = token + 1 WHERE partition = 0");
        Purchase order = test.order(sale, "u", "a:1");
        assertThatThrownBy(() -> test.store(token, order)).isInstanceOf(Fence.Fenced.class);
        // As of a ledger that lost the commit of a later lease.
        assertThatThrownBy(() -> test.store(token + 2, order)).isInstanceOf(Fence.Fenced.class);
        assertThat(test.journal.find(sale, order.order())).isNull();
        test.store(order);
        assertThat(test.status(order)).isEqualTo(CONFIRMED);
    }

    private void payBy() {
        String sale = test.sale(60_000, true, "a:9:0");
        Purchase order = test.order(sale, "u", "a:1");
        test.store(order);
        assertThat(test.journal.find(sale, order.order()).payBy())
                .isEqualTo(order.placedAt() + 60_000);
        assertThat(test.journal.sql("SELECT pay_by_ms FROM reservations WHERE order_id = '"
                + order.order() + "'")).isEqualTo(Long.toString(order.placedAt() + 60_000));
    }

    private void retries() {
        String sale = test.sale("a:9:0");
        Purchase strange = test.order(sale, "u", "k", "b:1");
        Purchase fine = test.order(sale, "v", "a:1");
        assertThat(test.store(strange, fine).failed()).containsExactly(new Failed(strange,
                "the ledger has no such item in sale " + sale, true));
        assertThat(test.status(fine)).isEqualTo(CONFIRMED);
        assertThat(test.store(strange).failed()).hasSize(1);
        for (int tries = 2; tries <= 5; tries++) {
            StoreScene.Retried retried = test.retry();
            assertThat(retried.batch().dead()).isEqualTo(tries == 5 ? 1 : 0);
            assertThat(retried.nextMs() == null).isEqualTo(tries == 5);
            if (tries == 3) {
                // A redelivery does not start the tries again.
                assertThat(test.store(strange).failed()).hasSize(1);
            }
        }
        test.journal.sql("UPDATE retries SET next_at = now()");
        assertThat(test.retry().tried()).as("a dead letter waits for an operator").isEmpty();
        String kept = "SELECT concat_ws(' ', state, tries, subject, user_id, key) FROM retries"
                + " WHERE order_id = '" + strange.order() + "'";
        assertThat(test.journal.sql(kept)).isEqualTo("waiting 5 " + sale + " u k");
        test.journal.sql("UPDATE retries SET state = 'retrying', next_at = now()");
        test.journal.sql("INSERT INTO items (sale, sku, total, limit_per_user) VALUES ('" + sale
                + "', 'b', 5, 0)");
        StoreScene restarted = new StoreScene(test.journal);
        assertThat(restarted.retry().batch().failed()).isEmpty();
        assertThat(test.status(strange)).isEqualTo(CONFIRMED);
        assertThat(test.journal.sql(kept)).isNull();
    }

    private void unreleased() {
        String sale = test.sale("a:9:0");
        test.journal.sql("UPDATE sales SET state = 'preparing' WHERE sale = '" + sale + "'");
        Purchase early = test.order(sale, "u", "a:1");
        assertThat(test.store(early).failed()).containsExactly(
                new Failed(early, "the ledger has no sale " + sale, true));
        test.journal.sql("DELETE FROM retries");
    }

    /** PostgreSQL cannot store the character 0, but its six-character escape may be a key. */
    private void anyText() {
        String sale = test.sale("a:9:0");
        Purchase spelled = test.order(sale, "u\\u0000", "\\u0000", "b:1");
        Purchase fine = test.order(sale, "v", "a:1");
        assertThat(test.store(spelled, fine).failed()).hasSize(1);
        assertThat(test.status(fine)).isEqualTo(CONFIRMED);
        assertThat(test.journal.sql("SELECT concat_ws(' ', key, fields ->> 'key',"
                + " fields ->> 'user') FROM retries WHERE order_id = '" + spelled.order() + "'"))
                .isEqualTo("\\u0000 \\u0000 u\\u0000");
        StreamEntry strange = new StreamEntry.Malformed("0-2",
                Map.of(sale + "\0\"", "1\0\\\0"), "unknown kind of entry");
        assertThat(test.store(strange).failed()).hasSize(1);
        assertThat(test.journal.sql("SELECT value FROM retries, jsonb_each_text(fields)"
                + " AS kept (name, value) WHERE name = '" + sale + "\"'")).isEqualTo("1\\");
        test.journal.sql("DELETE FROM retries");
    }
}
