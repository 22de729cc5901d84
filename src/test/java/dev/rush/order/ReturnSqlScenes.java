package dev.rush.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.http.Caller;
import dev.rush.order.StreamEntry.Purchase;
import dev.rush.testing.Scene;
import java.sql.Connection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** What the SQL of ends and returns promises, each as a scene. */
final class ReturnSqlScenes {
    private static final Caller USER = Caller.actingFor("u", false);

    private final TestLedger test;

    ReturnSqlScenes(TestLedger test) {
        this.test = test;
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("I12: only what is reserved is confirmed, and only its owner's", this::confirm);
        all.put("I12: only what is reserved expires, by its partition's clock", this::expire);
        all.put("I12: an order that is being confirmed does not expire", this::passedOver);
        all.put("I11: a return gives units back once, and is noted", this::returned);
        all.put("I11: no partition's credits take the places of another's", this::credits);
        all.put("I11: a return ends only what waited for that order", this::noted);
        all.put("returns that wait are parked once, and not too many", this::parked);
        all.put("parked returns are tried in turn until they end", this::claimed);
        all.put("what Redis lost before a sale was there is no loss of its", this::losses);
        return all;
    }

    private Purchase reserved(String sale, long payBy) {
        return test.purchase(sale, "u", null, "a:1", payBy);
    }

    private void confirm() {
        String sale = test.sale(true, "a:9:0");
        Purchase first = reserved(sale, 5);
        Purchase second = reserved(sale, Long.MAX_VALUE);
        Purchase third = reserved(sale, Long.MAX_VALUE);
        test.store(first, second, third);
        expire(test.partition(sale), 5);
        assertThat(test.statuses.confirm(sale, first.order(), "u").join().status())
                .isEqualTo("expired");
        assertThat(test.statuses.confirm(sale, second.order(), "v").join().status())
                .isEqualTo("reserved");
        assertThat(test.statuses.confirm(sale, second.order(), "u").join().status())
                .isEqualTo("confirmed");
        assertThat(test.status(third)).isEqualTo("reserved");
        assertThat(test.statuses.confirm("another", third.order(), "u").join()).isNull();
        assertThat(test.statuses.confirm(sale, third.order(), null).join().status())
                .isEqualTo("confirmed");
        assertThat(test.statuses.confirm(sale, UUID.randomUUID(), null).join()).isNull();
    }

    private List<UUID> expire(int partition, long now) {
        return test.ledger.transact(connection -> Expiry.expire(connection, partition, now, 9)
                .stream().map(Credits.Due::order).toList());
    }

    private void expire() {
        String sale = test.sale(true, "a:9:0", "b:9:0");
        int partition = test.partition(sale);
        Purchase late = reserved(sale, 100);
        Purchase both = test.purchase(sale, "v", null, "a:2,b:1", 100);
        Purchase open = reserved(sale, 101);
        Purchase paid = reserved(sale, 100);
        Purchase unlimited = test.purchase(sale, "w", "a:1");
        test.store(late, both, open, paid, unlimited);
        test.statuses.confirm(sale, paid.order(), "u").join();
        assertThat(expire((partition + 1) % test.partitions.count(), 100)).isEmpty();
        assertThat(expire(partition, 100)).containsExactlyInAnyOrder(late.order(), both.order());
        assertThat(expire(partition, 100)).isEmpty();
        assertThat(List.of(test.status(late), test.status(open), test.status(paid),
                test.status(unlimited)))
                .containsExactly("expired", "reserved", "confirmed", "confirmed");
        assertThat(test.sold(sale, "a")).isEqualTo("3");
        assertThat(test.sold(sale, "b")).isEqualTo("0");
        assertThat(test.sql("SELECT credit FROM orders WHERE id = '" + late.order() + "'"))
                .isEqualTo("pending");
    }

    private void passedOver() throws Exception {
        String sale = test.sale(true, "a:9:0");
        Purchase order = reserved(sale, 1);
        test.store(order);
        try (Connection confirming = test.locked(
                "SELECT 1 FROM orders WHERE id = '" + order.order() + "'")) {
            assertThat(expire(test.partition(sale), 9)).isEmpty();
            confirming.rollback();
        }
        assertThat(expire(test.partition(sale), 9)).containsExactly(order.order());
    }

    private ReturnView end(String sale, Purchase order) {
        return test.ledger.transact(connection -> ReturnRows.noteReturned(connection,
                ReturnRows.end(connection,
                        ReturnRows.byOrder(connection, sale, order.order()))));
    }

    private void returned() {
        String sale = test.sale(true, "a:9:0");
        Purchase order = test.purchase(sale, "u", "a:2");
        Purchase other = test.purchase(sale, "u", "a:3");
        test.store(order, other);
        assertThat(end(sale, order).state()).isEqualTo("returned");
        assertThat(test.sold(sale, "a")).isEqualTo("3");
        assertThat(test.status(order)).isEqualTo("returned");
        assertThat(test.status(other)).isEqualTo("confirmed");
        assertThat(test.sql("SELECT credit FROM orders WHERE id = '" + order.order() + "'"))
                .isEqualTo("pending");
        assertThat(test.<ReturnRows.Order>transact(connection ->
                ReturnRows.byOrder(connection, "another", order.order()))).isNull();
    }

    private List<UUID> pending(Set<Integer> refused, int most) {
        return test.ledger.transact(connection -> Credits.pending(connection, refused, most)
                .stream().map(Credits.Due::order).toList());
    }

    private void credits() {
        test.sql("UPDATE orders SET credit = 'done' WHERE credit = 'pending'");
        String crowded = test.sale(true, "a:9:0");
        int partition = test.partition(crowded);
        String other = test.sale(true, "a:9:0");
        while (test.partition(other) == partition) {
            other = test.sale(true, "a:9:0");
        }
        Purchase oldest = owed(crowded, 9);
        Purchase older = owed(crowded, 8);
        Purchase old = owed(crowded, 7);
        Purchase young = owed(other, 6);
        owed(other, 0);
        assertThat(pending(Set.of(), 2))
                .containsExactlyInAnyOrder(oldest.order(), young.order());
        assertThat(pending(Set.of(), 3))
                .containsExactlyInAnyOrder(oldest.order(), older.order(), young.order());
        assertThat(pending(Set.of(), 9)).hasSize(4).contains(old.order());
        assertThat(pending(Set.of(partition), 9)).containsExactly(young.order());
    }

    /** An order that was returned some seconds ago. */
    private Purchase owed(String sale, int seconds) {
        Purchase order = test.purchase(sale, "u", "a:1");
        test.store(order);
        end(sale, order);
        test.sql("UPDATE orders SET ended_at = now() - interval '" + seconds
                + " seconds' WHERE id = '" + order.order() + "'");
        return order;
    }

    private boolean park(String sale, String user, String key) {
        return test.ledger.transact(connection ->
                ReturnRows.parkKey(connection, sale, user, key, "waits"));
    }

    private boolean parkUnknown(String sale, UUID order) {
        return test.ledger.transact(connection ->
                ReturnRows.parkUnknown(connection, sale, order, USER, "waits"));
    }

    private String state(String sale, String user, String key) {
        return test.ledger.transact(connection ->
                ReturnRows.find(connection, sale, null, user, key)).state();
    }

    private void noted() {
        String sale = test.sale(true, "a:9:0");
        String another = test.sale(true, "a:9:0");
        park(sale, "u", "k");
        park(sale, "v", "k");
        park(sale, "u", "l");
        park(another, "u", "k");
        Purchase order = test.purchase(sale, "u", "k", "a:1", 0);
        test.store(order);
        assertThat(end(sale, order).idempotencyKey()).isEqualTo("k");
        assertThat(List.of(state(sale, "u", "k"), state(sale, "v", "k"), state(sale, "u", "l"),
                state(another, "u", "k")))
                .containsExactly("returned", "parked", "parked", "parked");
        assertThat(test.sql("SELECT count(*) FROM returns WHERE sale = '" + sale + "'"))
                .isEqualTo("3");
    }

    private void parked() {
        String sale = test.sale(true, "a:9:0");
        assertThat(park(sale, "u", "k")).isTrue();
        assertThat(park(sale, "u", "k")).isTrue();
        for (int i = 1; i < ReturnRows.UNSEEN_MAX; i++) {
            assertThat(park(sale, "u", "k" + i)).isTrue();
        }
        assertThat(park(sale, "u", "one more")).isFalse();
        assertThat(park(sale, "v", "k")).isTrue();
        UUID order = UUID.randomUUID();
        assertThat(parkUnknown(sale, order)).isTrue();
        assertThat(parkUnknown(sale, order)).isTrue();
        for (int i = 1; i < ReturnRows.UNSEEN_MAX; i++) {
            assertThat(parkUnknown(sale, UUID.randomUUID())).isTrue();
        }
        assertThat(parkUnknown(sale, UUID.randomUUID())).isFalse();
        test.ledger.transact(connection -> {
            for (int i = 0; i < 2; i++) {
                ReturnRows.parkOrder(connection, sale, order, "u", USER, "again");
            }
            return null;
        });
        assertThat(test.sql("SELECT count(*) FROM returns WHERE sale = '" + sale
                + "' AND order_id IS NOT NULL")).isEqualTo("20");
    }

    private List<ParkedRows.Parked> claim(long retryMs) {
        return test.ledger.transact(connection -> ParkedRows.claim(connection, retryMs, 1000));
    }

    private void claimed() {
        test.sql("DELETE FROM returns");
        String sale = test.sale(true, "a:9:0");
        park(sale, "u", "k");
        park(sale, "u", "l");
        assertThat(claim(3_600_000)).isEmpty();
        assertThat(claim(0)).hasSize(2);
        assertThat(claim(3_600_000)).isEmpty();
        assertThat(test.<List<ReturnView>>transact(connection ->
                ParkedRows.alarm(connection, 3_600_000))).isEmpty();
        assertThat(test.<List<ReturnView>>transact(connection ->
                ParkedRows.alarm(connection, 0))).hasSize(2);
        assertThat(claim(0)).hasSize(2);
        UUID first = claim(0).get(0).id();
        test.transact(connection -> {
            ParkedRows.end(connection, first, "nothing to give back");
            return null;
        });
        List<ParkedRows.Parked> left = claim(0);
        assertThat(left).hasSize(1);
        for (String entry : List.of("1-1", "2-1")) {
            test.transact(connection -> {
                ParkedRows.noteRefused(connection, sale, "u", left.get(0).key(),
                        new ReturnLookups.Found.Refused(entry));
                return null;
            });
        }
        assertThat(claim(0).get(0).after()).isEqualTo("1-1");
        test.sql("UPDATE returns SET state = 'returned' WHERE state = 'alarmed'");
        test.transact(connection -> {
            ParkedRows.end(connection, left.get(0).id(), "too late");
            return null;
        });
        assertThat(state(sale, "u", left.get(0).key())).isEqualTo("returned");
        assertThat(claim(0)).isEmpty();
    }

    private void losses() {
        String sale = test.sale(true, "a:9:0");
        String loss = "INSERT INTO losses (partition, low, high, noticed_at_ms, noticed_at, lost)"
                + " VALUES (" + test.partition(sale) + ", 1, 2, 1, now() %s, %s)";
        test.sql(loss.formatted("- interval '1 hour'", "0"));
        assertThat(test.<Boolean>transact(connection ->
                ReturnRows.hasLost(connection, sale))).isFalse();
        test.sql(loss.formatted("", "NULL"));
        assertThat(test.<Boolean>transact(connection ->
                ReturnRows.hasLost(connection, sale))).isTrue();
        test.sql("UPDATE losses SET restored_at = now()");
        assertThat(test.<Boolean>transact(connection ->
                ReturnRows.isLosing(connection, sale))).isTrue();
        test.sql("UPDATE losses SET lost = 0");
        assertThat(test.<Boolean>transact(connection ->
                ReturnRows.isLosing(connection, sale))).isFalse();
        test.sql("DELETE FROM losses");
    }
}
