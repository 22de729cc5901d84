package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.testing.Scene;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The promises of the SQL of steps, each as a scene. */
final class StepSqlScenes {
    private static final int MONTH = TestJournal.MONTH;
    private static final Actor BUYER = TestSteps.BUYER;
    private static final long FAR = Long.MAX_VALUE;

    private final TestJournal test;
    private final TestSteps steps;

    StepSqlScenes(TestJournal test) {
        this.test = test;
        this.steps = new TestSteps(test);
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("I12: a reserved order is confirmed once, with its payment", this::confirm);
        all.put("I11: a return frees the units and owes them, once", this::giveBack);
        all.put("I12: only reservations that are due by both clocks expire", this::expire);
        all.put("I11: a credit is recorded once, with Redis's word", this::credited);
        all.put("I12: a step never precedes the step that it follows", this::misordered);
        all.put("I6: rejected orders are settled once", this::settle);
        all.put("steps add to other sums than the writer", this::sums);
        return all;
    }

    private String stepsOf(UUID id) {
        return test.sql("SELECT string_agg(concat_ws(' ', step, kind, actor, cause, reference,"
                + " amount, currency), ', ' ORDER BY step) FROM steps WHERE order_id = '" + id
                + "'");
    }

    private long now() {
        return Long.parseLong(test.sql("SELECT (extract(epoch FROM now()) * 1000)::bigint"));
    }

    private void confirm() {
        String sale = test.sale("a:9:0");
        UUID first = test.order(sale, "u", null, "a:2", FAR);
        UUID other = test.order(sale, "u", null, "a:1", FAR);
        steps.confirm(sale, first);
        assertThat(test.find(sale, first)).extracting(Order::status, Order::step,
                Order::reference).containsExactly(OrderStatus.CONFIRMED, 1, "pay-1");
        assertThat(stepsOf(first)).isEqualTo("1 confirmed buyer:u pay-1 990 EUR");
        assertThat(test.find(sale, other).status()).isEqualTo(OrderStatus.RESERVED);
        assertThat(test.sql("SELECT string_agg(order_id::text, ',') FROM reservations WHERE"
                + " sale = '" + sale + "'")).isEqualTo(other.toString());
        assertThat(test.sums(sale)).isEqualTo("a 3 1 2 0 0 0").isEqualTo(test.recount(sale));
        assertThat(test.sold(sale)).isEqualTo("a 3");
        assertThatThrownBy(() -> steps.confirm(sale, first))
                .isInstanceOf(IllegalArgumentException.class);
        steps.clear();
    }

    private void giveBack() {
        String sale = test.sale("a:9:0", "b:9:0");
        String another = test.sale("a:9:0");
        test.order(another, "u", null, "a:1", 0);
        UUID reserved = test.order(sale, "u", null, "a:2,b:1", FAR);
        UUID bought = test.order(sale, "u", null, "b:3", 0);
        UUID paid = test.order(sale, "u", null, "b:1", FAR);
        steps.confirm(sale, paid);
        assertThat(steps.giveBack(sale, reserved)).isEqualTo(new OwedCredit(reserved, MONTH, 1,
                false, "buyer:u", sale, "u", "a:2,b:1", 0, 2));
        assertThat(steps.giveBack(sale, bought).step()).isEqualTo(1);
        assertThat(test.sold(sale)).isEqualTo("a 0\nb 1");
        assertThat(steps.giveBack(sale, paid).step()).isEqualTo(2);
        assertThat(stepsOf(paid)).isEqualTo(
                "1 confirmed buyer:u pay-1 990 EUR, 2 returned buyer:u too small");
        assertThat(test.find(sale, paid)).extracting(Order::status, Order::step,
                Order::reference).containsExactly(OrderStatus.RETURNED, 2, "pay-1");
        assertThat(test.sold(sale)).isEqualTo("a 0\nb 0");
        assertThat(test.sold(another)).isEqualTo("a 1");
        assertThat(test.sums(sale)).isEqualTo("a 2 0 0 0 2 0\nb 5 0 0 0 5 0")
                .isEqualTo(test.recount(sale));
        assertThat(test.sql("SELECT count(*) FROM credits WHERE sale = '" + sale + "'"))
                .isEqualTo("3");
        assertThat(test.sql("SELECT count(*) FROM reservations")).isEqualTo("0");
        assertThatThrownBy(() -> steps.giveBack(sale, bought))
                .isInstanceOf(IllegalArgumentException.class);
        steps.clear();
    }

    private void expire() {
        String sale = test.sale("a:9:0");
        UUID first = test.order(sale, "u", null, "a:1", 10);
        UUID second = test.order(sale, "v", null, "a:2", 20);
        UUID third = test.order(sale, "w", null, "a:1", 30);
        UUID ahead = test.order(sale, "x", null, "a:1", now() + 3_600_000);
        assertThat(steps.expired(9, 9)).isEmpty();
        assertThat(steps.expired(FAR, 1)).containsExactly(first);
        assertThat(steps.expired(20, 9)).as("Redis's clock").containsExactly(second);
        assertThat(steps.expired(FAR, 9)).as("PostgreSQL's clock").containsExactly(third);
        assertThat(stepsOf(second)).isEqualTo("1 expired service:expiry");
        assertThat(test.find(sale, second).status()).isEqualTo(OrderStatus.EXPIRED);
        assertThat(test.find(sale, ahead).status()).isEqualTo(OrderStatus.RESERVED);
        assertThat(test.sums(sale)).isEqualTo("a 5 1 0 4 0 0").isEqualTo(test.recount(sale));
        assertThat(test.sold(sale)).isEqualTo("a 1");
        assertThat(test.sql("SELECT concat_ws(' ', month, step, expired, sale, user_id, lines,"
                + " partition) FROM credits WHERE order_id = '" + second + "'"))
                .isEqualTo(MONTH + " 1 t " + sale + " v a:2 0");
        steps.clear();
    }

    private void credited() {
        String sale = test.sale("a:9:0");
        OwedCredit first = steps.giveBack(sale, test.order(sale, "u", null, "a:1", 0));
        OwedCredit second = steps.giveBack(sale, test.order(sale, "u", null, "a:2", 0));
        Map<UUID, String> words = Map.of(first.order(), "credited");
        for (int i = 0; i < 2; i++) {
            test.transact((connection, ledgerState) -> {
                Steps.credited(connection, ledgerState, List.of(first, second), words);
                return null;
            });
        }
        assertThat(stepsOf(first.order())).isEqualTo("1 returned buyer:u too small, "
                + "2 credited service:credits credited");
        assertThat(test.find(sale, first.order()).status()).isEqualTo(OrderStatus.RETURNED);
        assertThat(test.sums(sale)).isEqualTo("a 3 0 0 0 3 1").isEqualTo(test.recount(sale));
        assertThat(test.sql("SELECT string_agg(order_id::text, ',') FROM credits"))
                .isEqualTo(second.order().toString());
        steps.clear();
    }

    /** A transaction that has already written changes an order that is younger than itself. */
    private void misordered() {
        String sale = test.sale("a:9:0");
        UUID old = test.order(sale, "u", null, "a:1", FAR);
        int[] tries = {0};
        UUID[] young = {null};
        assertThatThrownBy(() -> test.transact((connection, ledgerState) -> {
            AuditRows.insert(connection, ledgerState, UUID.randomUUID(), BUYER, "a", "s", null,
                    null, null);
            young[0] = test.order(sale, "u", null, "a:1", 0);
            tries[0]++;
            return Steps.giveBack(connection, ledgerState,
                    OrderRows.find(connection, MONTH, sale, young[0]), BUYER, null);
        })).isInstanceOf(LedgerFailure.class).hasMessageContaining("40001");
        assertThat(tries[0]).isEqualTo(3);
        assertThat(test.find(sale, young[0]).status()).isEqualTo(OrderStatus.CONFIRMED);
        OwedCredit second = test.transact((connection, ledgerState) -> {
            AuditRows.insert(connection, ledgerState, UUID.randomUUID(), BUYER, "a", "s", null,
                    null, null);
            if (test.find(sale, old).status() == OrderStatus.RESERVED) {
                steps.confirm(sale, old);
            }
            return Steps.giveBack(connection, ledgerState,
                    OrderRows.find(connection, MONTH, sale, old), BUYER, null);
        });
        assertThat(second.step()).as("after a first try that met a younger step").isEqualTo(2);
        assertThat(test.sql("SELECT s.xact > p.xact FROM steps s JOIN steps p USING (order_id)"
                + " WHERE order_id = '" + old + "' AND s.step = 2 AND p.step = 1"))
                .isEqualTo("t");
        steps.clear();
    }

    private void settle() {
        String sale = test.sale("a:9:0");
        UUID id = test.order(sale, "u", null, "a:2", 0);
        test.sql("WITH gone AS (DELETE FROM orders WHERE id = '" + id + "' RETURNING *)"
                + " INSERT INTO rejected SELECT *, 'the total is already sold' FROM gone");
        List<Order> orders = List.of(test.find(sale, id));
        assertThat(orders.get(0).status()).isEqualTo(OrderStatus.REJECTED);
        for (int left = 1; left >= 0; left--) {
            List<Order> settled = test.transact(
                    (connection, ledgerState) -> Steps.settle(connection,
                    ledgerState, MONTH, orders, Actor.service("repair"), "corrected"));
            assertThat(settled).hasSize(left);
        }
        assertThat(stepsOf(id)).isEqualTo("1 settled service:repair corrected");
        assertThat(test.find(sale, id).status()).isEqualTo(OrderStatus.REJECTED);
        assertThat(test.sql("SELECT sum(settled) FROM sums WHERE sale = '" + sale + "'"))
                .isEqualTo("2");
    }

    private void sums() {
        String sale = test.id("sale");
        // More than there are sessions, so that some add to what is there.
        for (int i = 0; i <= 20; i++) {
            int slot = i == 0 ? Sums.WRITER : Sums.STEPS;
            test.transact((connection, ledgerState) -> {
                Sums sums = new Sums();
                for (Sums.Column column : Sums.Column.values()) {
                    sums.add(sale, 3, "a", column, 1 + column.ordinal());
                }
                sums.add(sale, 3, "a", Sums.Column.STORED, -2).write(connection, slot);
                return null;
            });
        }
        String all = "SELECT concat_ws(' ', sum(stored), sum(reserved), sum(confirmed),"
                + " sum(expired), sum(returned), sum(credited), sum(rejected), sum(settled))"
                + " FROM sums WHERE partition = 3 AND sale = '" + sale + "' AND ";
        assertThat(test.sql(all + "slot = 0")).isEqualTo("-1 2 3 4 5 6 7 8");
        assertThat(test.sql(all + "slot BETWEEN 1 AND 8"))
                .isEqualTo("-20 40 60 80 100 120 140 160");
    }
}
