package dev.rush.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.order.StreamEntry.Purchase;
import dev.rush.testing.Scene;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** What the SQL of orders, grabs and leases promises, each as a scene with ids of its own. */
final class OrderSqlScenes {

    private final TestLedger test;

    OrderSqlScenes(TestLedger test) {
        this.test = test;
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("I1: an item is sold to the last unit, and not beyond", this::total);
        all.put("I1: an order of several items is sold whole or not at all", this::wholeOrders);
        all.put("I1: items of other sales stay as they are", this::otherSales);
        all.put("I4: nobody has more than the limit, reserved ones counted", this::limit);
        all.put("I4: rejected orders never count against the limit", this::rejectedLimit);
        all.put("I4: what was given back counts where the sale says so", this::returnedLimit);
        all.put("I5: a redelivered order counts once, beside new ones", this::redelivery);
        all.put("I7: a key that is another order's is rejected", this::keys);
        all.put("I15: only the holder of the lease stores", this::fence);
        all.put("I15: a lease that lives is nobody else's", this::leases);
        all.put("I6: the highest sequence number stays", this::sequence);
        all.put("I13: an envelope is paid once, within what the rain has", this::grabs);
        all.put("I13: a rain that is not released pays nothing", this::unreleased);
        all.put("I14: stock is released once", this::released);
        return all;
    }

    private void total() {
        String sale = test.sale(true, "a:3:0");
        Purchase first = test.purchase(sale, "u", "a:1");
        Purchase second = test.purchase(sale, "v", "a:2");
        Purchase third = test.purchase(sale, "w", "a:1");
        assertThat(test.store(first).failed()).isEmpty();
        assertThat(test.store(second).failed()).isEmpty();
        Batch batch = test.store(third);
        assertThat(batch.failed()).isEmpty();
        assertThat(batch.rejections()).hasSize(1);
        assertThat(List.of(test.status(first), test.status(second), test.status(third)))
                .containsExactly("confirmed", "confirmed", "rejected");
        assertThat(test.sold(sale, "a")).isEqualTo("3");
        test.store(third);
        assertThat(test.sql("SELECT count(*) FROM orders WHERE id = '" + third.order() + "'"))
                .isEqualTo("1");
    }

    private void wholeOrders() {
        String sale = test.sale(true, "a:2:0", "b:9:0");
        Purchase first = test.purchase(sale, "u", "a:2,b:1");
        Purchase second = test.purchase(sale, "v", "b:2,a:1");
        Purchase third = test.purchase(sale, "w", "b:3");
        assertThat(test.store(first).failed()).isEmpty();
        assertThat(test.store(second, third).failed()).isEmpty();
        assertThat(List.of(test.status(first), test.status(second), test.status(third)))
                .containsExactly("confirmed", "rejected", "confirmed");
        assertThat(test.sold(sale, "a")).isEqualTo("2");
        assertThat(test.sold(sale, "b")).isEqualTo("4");
    }

    private void otherSales() {
        String sale = test.sale(true, "a:5:0");
        String other = test.sale(true, "a:5:0");
        Purchase order = test.purchase(sale, "u", "a:2");
        assertThat(test.store(order).failed()).isEmpty();
        assertThat(test.sold(sale, "a")).isEqualTo("2");
        assertThat(test.sold(other, "a")).isEqualTo("0");
        returned(sale, order);
        assertThat(test.sold(sale, "a")).isEqualTo("0");
        assertThat(test.sold(other, "a")).isEqualTo("0");
    }

    private void returned(String sale, Purchase order) {
        test.ledger.transact(connection -> ReturnRows.end(connection,
                ReturnRows.byOrder(connection, sale, order.order())));
    }

    private void limit() {
        String sale = test.sale(true, "a:9:2");
        long later = Long.MAX_VALUE;
        Purchase first = test.purchase(sale, "u", null, "a:1", later);
        Purchase second = test.purchase(sale, "u", "a:1");
        Purchase third = test.purchase(sale, "u", "a:1");
        Purchase another = test.purchase(sale, "v", "a:2");
        test.store(first);
        test.store(second);
        test.store(third, another);
        assertThat(List.of(test.status(first), test.status(second), test.status(third),
                test.status(another)))
                .containsExactly("reserved", "confirmed", "rejected", "confirmed");
        assertThat(test.sold(sale, "a")).isEqualTo("4");
    }

    private void rejectedLimit() {
        String sale = test.sale(false, "a:0:1");
        Purchase rejected = test.purchase(sale, "u", "a:1");
        test.store(rejected);
        test.sales.changeTotal(sale, "a", 5).join();
        Purchase later = test.purchase(sale, "u", "a:1");
        test.store(later);
        assertThat(List.of(test.status(rejected), test.status(later)))
                .containsExactly("rejected", "confirmed");
    }

    private void returnedLimit() {
        for (boolean returnsLimit : new boolean[] {true, false}) {
            String sale = test.sale(returnsLimit, "a:5:1");
            Purchase first = test.purchase(sale, "u", "a:1");
            test.store(first);
            returned(sale, first);
            Purchase second = test.purchase(sale, "u", "a:1");
            test.store(second);
            assertThat(test.status(second)).isEqualTo(returnsLimit ? "confirmed" : "rejected");
        }
    }

    private void redelivery() {
        String sale = test.sale(true, "a:9:9");
        Purchase first = test.purchase(sale, "u", "a:1");
        Purchase reserved = test.purchase(sale, "u", null, "a:1", Long.MAX_VALUE);
        Purchase last = test.purchase(sale, "u", "a:1");
        test.store(first);
        assertThat(test.store(first).failed()).isEmpty();
        Batch batch = test.store(first, reserved, last, reserved);
        assertThat(batch.failed()).isEmpty();
        assertThat(batch.rejections()).isEmpty();
        assertThat(List.of(test.status(first), test.status(reserved), test.status(last)))
                .containsExactly("confirmed", "reserved", "confirmed");
        assertThat(test.sold(sale, "a")).isEqualTo("3");
    }

    private void keys() {
        String sale = test.sale(true, "a:9:0");
        Purchase first = test.purchase(sale, "u", "k", "a:1", 0);
        Purchase second = test.purchase(sale, "u", "k", "a:1", 0);
        Purchase third = test.purchase(sale, "u", "k", "a:1", 0);
        Purchase stranger = test.purchase(sale, "v", "k", "a:1", 0);
        test.store(first);
        assertThat(test.store(second, stranger).rejections()).hasSize(1);
        assertThat(test.store(third).rejections()).hasSize(1);
        assertThat(List.of(test.status(first), test.status(second), test.status(third),
                test.status(stranger)))
                .containsExactly("confirmed", "rejected", "rejected", "confirmed");
        assertThat(test.sold(sale, "a")).isEqualTo("2");
        assertThat(test.ledger.transact(connection ->
                ReturnRows.byKey(connection, sale, "u", "k")).id()).isEqualTo(first.order());
    }

    private void lapse() {
        test.sql("UPDATE leases SET until = 'epoch'");
        test.sql("DELETE FROM writers");
    }

    private void fence() {
        String sale = test.sale(true, "a:9:0");
        int partition = test.partition(sale);
        Leases one = test.leases();
        Leases two = test.leases();
        lapse();
        long old = one.renew().get(partition);
        lapse();
        long fresh = two.renew().get(partition);
        assertThat(fresh).isGreaterThan(old);
        Purchase order = test.purchase(sale, "u", "a:1");
        assertThatThrownBy(() -> test.store(partition, old, order))
                .isInstanceOf(BatchStore.Fenced.class);
        assertThat(test.status(order)).isNull();
        test.store(partition, fresh, order);
        assertThat(test.status(order)).isEqualTo("confirmed");
        two.release();
        lapse();
    }

    private void leases() {
        Leases one = test.leases();
        Leases two = test.leases();
        lapse();
        Map<Integer, Long> all = one.renew();
        assertThat(all).hasSize(test.partitions.count());
        assertThat(two.renew()).isEmpty();
        Map<Integer, Long> kept = one.renew();
        assertThat(kept).hasSize(test.partitions.count() / 2);
        all.forEach((partition, token) -> {
            if (!kept.containsKey(partition)) {
                assertThatThrownBy(() -> test.store(partition, token))
                        .isInstanceOf(BatchStore.Fenced.class);
            }
        });
        Map<Integer, Long> taken = two.renew();
        assertThat(taken).hasSize(test.partitions.count() / 2)
                .doesNotContainKeys(kept.keySet().toArray(Integer[]::new));
        one.release();
        two.release();
        Set<Integer> unreadable = new HashSet<>(Set.of(0));
        Leases overtaken = test.leases(unreadable);
        assertThat(overtaken.renew()).hasSize(all.size() - 1).doesNotContainKey(0);
        unreadable.add(1);
        assertThat(overtaken.renew()).doesNotContainKey(1).hasSize(all.size() - 2);
        unreadable.addAll(all.keySet());
        assertThat(overtaken.renew()).isEmpty();
        assertThat(one.renew()).as("the other has no share").hasSameSizeAs(all);
        lapse();
    }

    private void sequence() {
        String sale = test.sale(true, "a:9:0");
        int partition = test.partition(sale);
        long token = test.leases().renew().getOrDefault(partition, 0L);
        if (token == 0) {
            lapse();
            token = test.leases().renew().get(partition);
        }
        test.store(partition, token, numbered(sale, 7));
        test.store(partition, token, numbered(sale, 3));
        assertThat(test.sql("SELECT seq FROM leases WHERE partition = " + partition))
                .isEqualTo("7");
        lapse();
    }

    private Purchase numbered(String sale, long sequence) {
        UUID order = UUID.randomUUID();
        return new Purchase("0-1", order, sale, "u", order.toString(), "=", "a:1", "1",
                Map.of("a", 1L), 1, 0, sequence);
    }

    private StreamEntry.Grab grab(String rain, String user, long number, long nth, long amount) {
        UUID grab = UUID.randomUUID();
        return new StreamEntry.Grab("0-1", grab, rain, user, grab.toString(), number, nth,
                amount, 1, 1);
    }

    private String grabbed(StreamEntry.Grab grab) {
        return test.sql("SELECT status FROM grabs WHERE id = '" + grab.grab() + "'");
    }

    private void grabs() {
        String rain = test.id("rain");
        test.rains.prepare(rain, "definition", 3, 10, 2).join();
        test.rains.loaded(rain, "epoch").join();
        StreamEntry.Grab first = grab(rain, "u", 1, 1, 4);
        StreamEntry.Grab again = grab(rain, "v", 1, 1, 4);
        StreamEntry.Grab turn = grab(rain, "u", 2, 1, 4);
        StreamEntry.Grab limit = grab(rain, "u", 2, 3, 4);
        StreamEntry.Grab large = grab(rain, "w", 3, 1, 7);
        StreamEntry.Grab second = grab(rain, "w", 3, 1, 4);
        StreamEntry.Grab last = grab(rain, "x", 4, 1, 2);
        StreamEntry.Grab none = grab(rain, "y", 5, 1, 0);
        assertThat(test.grab(first).failed()).isEmpty();
        assertThat(test.grab(first, again).failed()).isEmpty();
        assertThat(test.grab(turn).failed()).isEmpty();
        assertThat(test.grab(limit, large, second).failed()).isEmpty();
        assertThat(test.grab(last).failed()).isEmpty();
        assertThat(test.grab(none).failed()).isEmpty();
        assertThat(List.of(grabbed(first), grabbed(again), grabbed(turn), grabbed(limit),
                grabbed(large), grabbed(second), grabbed(last), grabbed(none))).containsExactly(
                "confirmed", "rejected", "rejected", "rejected", "rejected", "confirmed",
                "confirmed", "rejected");
        assertThat(test.sql("SELECT granted || ' ' || granted_amount FROM rains WHERE rain = '"
                + rain + "'")).isEqualTo("3 10");
    }

    private void unreleased() {
        String rain = test.id("rain");
        test.rains.prepare(rain, "definition", 3, 10, 2).join();
        assertThat(test.grab(grab(rain, "u", 1, 1, 4)).failed()).hasSize(1);
        assertThat(test.rains.loaded(rain, "one").join()).isEqualTo("one");
        assertThat(test.rains.loaded(rain, "two").join()).isEqualTo("one");
        assertThat(test.rains.prepare(rain, "another", 3, 10, 2).join().same()).isFalse();
    }

    private void released() {
        String sale = test.id("sale");
        assertThat(test.prepare(sale, true, "a:5:0").isLoaded()).isFalse();
        assertThat(test.prepare(sale, true, "a:7:0").same()).isTrue();
        assertThat(test.sql("SELECT total FROM items WHERE sale = '" + sale + "'"))
                .isEqualTo("5");
        assertThat(test.store(test.purchase(sale, "u", "a:1")).failed()).hasSize(1);
        assertThat(test.sales.loaded(sale, test.shards(sale), "one").join()).isEqualTo("one");
        assertThat(test.sales.loaded(sale, test.shards(sale), "two").join()).isEqualTo("one");
        assertThat(test.prepare(sale, true, "a:5:0").epoch()).isEqualTo("one");
    }
}
