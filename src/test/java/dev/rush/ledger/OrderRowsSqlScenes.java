package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Scene;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** The promises of the SQL that reads orders, each as a scene. */
final class OrderRowsSqlScenes {
    private static final int MONTH = TestJournal.MONTH;
    private static final UUID START = Cursor.START.id();

    private final TestJournal test;

    OrderRowsSqlScenes(TestJournal test) {
        this.test = test;
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("I7: an order is found by its key, or by its id if it has none", this::byKey);
        all.put("an order is found only in its sale and month", this::find);
        all.put("a user's newest orders are listed, including rejected ones", this::ofUser);
        all.put("pages contain each order of a sale once", this::pages);
        all.put("pages of a partition are ordered by number across sales", this::partitionPages);
        all.put("pages of a partition contain each order of one number once", this::sharedNumbers);
        all.put("pages of a partition have each order with its current status", this::statuses);
        return all;
    }

    /** Moves an order to the rejected ones. */
    private void reject(UUID id) {
        test.sql("WITH gone AS (DELETE FROM orders WHERE id = '" + id + "' RETURNING *)"
                + " INSERT INTO rejected SELECT *, 'the total is already sold' FROM gone");
    }

    private UUID byKey(String sale, String user, String key) {
        Order order = test.transact((connection, ledgerState) ->
                OrderRows.byKey(connection, MONTH, sale, user, key));
        return order == null ? null : order.id();
    }

    private void byKey() {
        String sale = test.sale("a:99:0");
        String other = test.sale("a:99:0");
        UUID refused = test.order(sale, "u", "k", "a:1", 0);
        reject(refused);
        assertThat(byKey(sale, "u", "k")).isEqualTo(refused);
        UUID order = test.order(sale, "u", "k", "a:1", 0);
        test.order(sale, "v", "k", "a:1", 0);
        test.order(other, "u", "k", "a:1", 0);
        assertThat(byKey(sale, "u", "k")).isEqualTo(order);
        assertThat(byKey(sale, "u", "l")).isNull();
        UUID keyless = test.order(sale, "u", null, "a:1", 0);
        assertThat(byKey(sale, "u", keyless.toString())).isEqualTo(keyless);
        assertThat(byKey(sale, "v", keyless.toString())).as("another's").isNull();
        assertThat(byKey(sale, "u", order.toString())).as("it has a key").isNull();
        assertThat(byKey(sale, "u", keyless.toString().toUpperCase(Locale.ROOT)))
                .isNull();
        reject(keyless);
        assertThat(byKey(sale, "u", keyless.toString())).isEqualTo(keyless);
    }

    private void find() {
        String sale = test.sale("a:99:0");
        UUID id = test.order(sale, "u", null, "a:1", 0);
        assertThat(test.find(sale, id)).extracting(Order::month, Order::user, Order::lines,
                Order::digest, Order::lefts, Order::partition, Order::seq, Order::placedAt)
                .containsExactly(MONTH, "u", "a:1", "=", "1", 0, 1L, 1L);
        assertThat(test.find("another", id)).isNull();
        Order elsewhere = test.transact((connection, ledgerState) ->
                OrderRows.find(connection, MONTH + 1, sale, id));
        assertThat(elsewhere).isNull();
        reject(id);
        assertThat(test.find("another", id)).isNull();
        assertThat(test.find(sale, id).status()).isEqualTo(OrderStatus.REJECTED);
        UUID unknown = UUID.randomUUID();
        UUID stored = test.order(sale, "u", null, "a:1", 0);
        Set<UUID> known = test.transact((connection, ledgerState) ->
                OrderRows.stored(connection, MONTH, List.of(id, unknown, stored)));
        assertThat(known).containsExactlyInAnyOrder(id, stored);
    }

    private void ofUser() {
        String sale = test.sale("a:99:0");
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            UUID id = test.order(sale, "u", i % 2 == 0 ? null : "k" + i, "a:1", 0);
            test.order(sale, "v", null, "a:1", 0);
            if (i % 3 == 0) {
                reject(id);
            }
            ids.add(id.toString());
        }
        ids.sort(Comparator.reverseOrder());
        for (int max : new int[] {1, 5, 100}) {
            List<Order> mine = test.transact((connection, ledgerState) ->
                    OrderRows.ofUser(connection, MONTH, sale, "u", max));
            assertThat(mine).extracting(order -> order.id().toString())
                    .isEqualTo(ids.subList(0, Math.min(max, ids.size())));
        }
    }

    private void pages() {
        String sale = test.sale("a:99:0");
        List<String> wanted = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            String user = List.of("B", "a", "b").get(i % 3);
            wanted.add(user + " " + test.order(sale, user, i < 3 ? null : "k" + i, "a:1", 0));
        }
        UUID refused = test.order(sale, "a", "r", "a:1", 0);
        reject(refused);
        wanted.sort(null);
        List<String> met = new ArrayList<>();
        Cursor[] after = {Cursor.START};
        List<Order> page;
        do {
            page = test.transact((connection, ledgerState) ->
                    OrderRows.page(connection, MONTH, sale, after[0], 2));
            page.forEach(order -> {
                met.add(order.user() + " " + order.id());
                after[0] = new Cursor(order.user(), order.id());
            });
        } while (!page.isEmpty());
        assertThat(met).isEqualTo(wanted);
        List<Order> rejected = test.transact((connection, ledgerState) ->
                OrderRows.rejectedPage(connection, MONTH, sale, Cursor.START, 9));
        assertThat(rejected).extracting(Order::id).containsExactly(refused);
        Cursor last = new Cursor("a", refused);
        List<Order> behind = test.transact((connection, ledgerState) ->
                OrderRows.rejectedPage(connection, MONTH, sale, last, 9));
        assertThat(behind).isEmpty();
    }

    private void partitionPages() {
        String sale = test.sale("a:99:0");
        String other = test.sale("a:99:0");
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            UUID id = test.order(i % 2 == 0 ? sale : other, "u", null, "a:1", i % 2 * 5);
            test.sql("UPDATE orders SET partition = " + (i < 3 ? 5 : 6) + ", seq = " + (100 - i)
                    + " WHERE id = '" + id + "'");
            ids.add(id);
        }
        new TestSteps(test).confirm(other, move(ids.get(1)));
        List<Order> page = test.transact((connection, ledgerState) -> OrderRows.partitionPage(
                connection, List.of(MONTH, MONTH + 1), 5, 99, START, 9));
        assertThat(page).extracting(Order::id).containsExactly(ids.get(1), ids.get(0));
        assertThat(page.get(0)).extracting(Order::status, Order::reference)
                .containsExactly(OrderStatus.CONFIRMED, "pay-1");
        List<Order> first = test.transact((connection, ledgerState) -> OrderRows.partitionPage(
                connection, List.of(MONTH), 5, 0, START, 1));
        assertThat(first).extracting(Order::id).containsExactly(ids.get(2));
        List<Order> elsewhere = test.transact((connection, ledgerState) ->
                OrderRows.partitionPage(connection, List.of(MONTH + 1), 5, 0, START, 9));
        assertThat(elsewhere).isEmpty();
        new TestSteps(test).clear();
    }

    private void statuses() {
        String sale = test.sale("a:99:0");
        TestSteps steps = new TestSteps(test);
        test.order(sale, "u1", "k", "a:1", 0);
        test.order(sale, "u2", null, "a:1", 5);
        steps.confirm(sale, test.order(sale, "u3", null, "a:1", 5));
        UUID returned = test.order(sale, "u4", null, "a:1", 5);
        steps.confirm(sale, returned);
        OwedCredit owed = steps.giveBack(sale, returned);
        test.transact((connection, ledgerState) -> {
            Steps.credited(connection, ledgerState, List.of(owed), Map.of(returned, "credited"));
            return null;
        });
        List<Order> page = test.transact((connection, ledgerState) -> OrderRows.partitionPage(
                connection, List.of(MONTH), 0, 0, START, 10_000)).stream()
                .filter(order -> order.sale().equals(sale)).toList();
        assertThat(page).hasSize(4)
                .allSatisfy(order -> assertThat(order).isEqualTo(test.find(sale, order.id())));
        assertThat(page).extracting(Order::status).containsExactlyInAnyOrder(
                OrderStatus.CONFIRMED, OrderStatus.RESERVED, OrderStatus.CONFIRMED,
                OrderStatus.RETURNED);
        steps.clear();
    }

    /** Ids are compared as text, because Java compares them as signed numbers. */
    private void sharedNumbers() {
        String sale = test.sale("a:99:0");
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            ids.add(test.order(sale, "u" + i, null, "a:1", 0));
        }
        test.sql("UPDATE orders SET partition = 4, seq = 100 WHERE sale = '" + sale + "'");
        ids.sort(Comparator.comparing(UUID::toString));
        assertThat(partitionPage(START, 2)).isEqualTo(ids.subList(0, 2));
        assertThat(partitionPage(ids.get(1), 9)).isEqualTo(ids.subList(2, 4));
        ids.forEach(this::reject);
        assertThat(rejectedPartitionPage(START, 2)).isEqualTo(ids.subList(0, 2));
        assertThat(rejectedPartitionPage(ids.get(1), 9)).isEqualTo(ids.subList(2, 4));
    }

    private List<UUID> partitionPage(UUID after, int max) {
        return test.transact((connection, ledgerState) -> OrderRows.partitionPage(
                connection, List.of(MONTH), 4, 100, after, max)).stream().map(Order::id).toList();
    }

    private List<UUID> rejectedPartitionPage(UUID after, int max) {
        return test.transact((connection, ledgerState) -> OrderRows.rejectedPartitionPage(
                connection, List.of(MONTH), 4, 100, after, max)).stream().map(Order::id).toList();
    }

    /** The reservation lies in its order's partition. */
    private UUID move(UUID id) {
        test.sql("UPDATE reservations SET partition = 5 WHERE order_id = '" + id + "'");
        return id;
    }
}
