package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.OrderPages.Page;
import dev.rush.testing.Scene;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;

/** The promises of the SQL that lists a sale's orders, each as a scene. */
final class OrderPagesSqlScenes {
    private static final long HOUR_MS = 3_600_000;
    private static final int EXAMINED_MAX = 5 * OrderPages.SCAN_SIZE;
    private static final int MET_MAX = 100;

    private final TestJournal test;
    private final TestSteps steps;
    private int count;

    OrderPagesSqlScenes(TestJournal test) {
        this.test = test;
        this.steps = new TestSteps(test);
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("a sale's orders are listed once each, newest first, with their current status",
                this::listed);
        all.put("only the time of the sale is searched", this::window);
        all.put("a page ends after examining too many orders of other sales", this::shortPages);
        return all;
    }

    /** An order that was made and placed at a time. */
    private UUID order(String sale, long ms, long payBy) {
        UUID id = test.order(sale, "u", null, "a:1", payBy);
        UUID made = new UUID(ms << 16 | 0x7000, 1L << 63 | ++count);
        test.sql("UPDATE orders SET placed_at_ms = " + ms + ", id = '" + made + "' WHERE id = '"
                + id + "'");
        test.sql("UPDATE reservations SET order_id = '" + made + "' WHERE order_id = '" + id
                + "'");
        return made;
    }

    private Page page(String sale, long sinceMs, Predicate<Order> wanted, UUID before, int max) {
        return test.transact((connection, ledgerState) ->
                OrderPages.of(connection, sale, sinceMs, wanted, before, max));
    }

    /** All orders that are wanted, as "id status reference". */
    private List<String> walk(String sale, Predicate<Order> wanted, int max) {
        List<String> met = new ArrayList<>();
        UUID next = null;
        do {
            Page page = page(sale, 0, wanted, next, max);
            assertThat(page.orders()).hasSizeLessThanOrEqualTo(max);
            page.orders().forEach(order -> met.add(order.id() + " " + order.status().text() + " "
                    + order.reference()));
            next = page.next();
            assertThat(met).as("the next page begins behind the last").hasSizeLessThan(MET_MAX);
        } while (next != null);
        return met;
    }

    private void listed() {
        String sale = test.sale("a:99:0");
        String other = test.sale("a:99:0");
        long now = System.currentTimeMillis();
        UUID plain = order(sale, now, 0);
        UUID reserved = order(sale, now + 1, 1);
        order(other, now + 2, 0);
        UUID refused = order(sale, now + 3, 0);
        test.sql("WITH gone AS (DELETE FROM orders WHERE id = '" + refused + "' RETURNING *)"
                + " INSERT INTO rejected SELECT *, 'the total is already sold' FROM gone");
        UUID confirmed = order(sale, now + 4, 2);
        steps.confirm(sale, confirmed);
        UUID returned = order(sale, now + 5, 0);
        OwedCredit owed = steps.giveBack(sale, returned);
        test.transact((connection, ledgerState) -> {
            Steps.credited(connection, ledgerState, List.of(owed), Map.of(returned, "credited"));
            return null;
        });
        List<String> wanted = List.of(returned + " returned null", confirmed + " confirmed pay-1",
                refused + " rejected null", reserved + " reserved null",
                plain + " confirmed null");
        for (int max : new int[] {1, 2, 5, 6}) {
            assertThat(walk(sale, order -> true, max)).as("pages of %d", max)
                    .isEqualTo(wanted);
        }
        assertThat(walk(sale, order -> order.status() == OrderStatus.CONFIRMED, 1))
                .containsExactly(wanted.get(1), wanted.get(4));
        assertThat(page(sale, 0, order -> true, null, 5).next()).as("that was all").isNull();
        assertThat(page("unknown", 0, order -> true, null, 5))
                .isEqualTo(new Page(List.of(), null));
        steps.clear();
    }

    private void window() {
        String sale = test.sale("a:99:0");
        long now = System.currentTimeMillis();
        order(sale, now - HOUR_MS, 0);
        UUID first = order(sale, now, 0);
        UUID late = order(sale, now + HOUR_MS, 0);
        UUID afterEnd = order(sale, now + 3 * HOUR_MS, 0);
        Predicate<Order> all = order -> true;
        assertThat(page(sale, 0, all, null, 9).orders()).extracting(Order::id)
                .containsExactly(afterEnd, late, first);
        assertThat(page(sale, now + HOUR_MS, all, null, 9).orders()).extracting(Order::id)
                .containsExactly(afterEnd, late);
        test.sql("UPDATE sales SET ends_at_ms = " + (now + 2 * HOUR_MS) + " WHERE sale = '" + sale
                + "'");
        assertThat(page(sale, 0, all, null, 9).orders()).extracting(Order::id)
                .containsExactly(late, first);
        test.sql("UPDATE sales SET closed_at_ms = " + (now + 1) + " WHERE sale = '" + sale + "'");
        assertThat(page(sale, 0, all, null, 9).orders()).extracting(Order::id)
                .containsExactly(first);
        assertThat(page(sale, 0, all, afterEnd, 9).orders()).extracting(Order::id)
                .as("a cursor beyond the end").containsExactly(first);
    }

    private void shortPages() {
        String sale = test.sale("a:99:0");
        long now = System.currentTimeMillis();
        UUID order = order(sale, now, 0);
        UUID other = order(test.sale("a:99:0"), now + 1, 0);
        test.sql("INSERT INTO orders (id, month, block, seq, placed_at_ms, pay_by_ms, partition,"
                + " sale, user_id, digest, lines, lefts) SELECT (lpad(to_hex(" + now + " + i),"
                + " 12, '0') || '70008000' || lpad(to_hex(i), 12, '0'))::uuid, month, block, i,"
                + " placed_at_ms, 0, partition, sale, 'u' || i, '=', 'a:1', '1' FROM orders,"
                + " generate_series(2, " + (EXAMINED_MAX + 100) + ") AS i WHERE id = '" + other
                + "'");
        Page first = page(sale, 0, found -> true, null, 9);
        assertThat(first.orders()).isEmpty();
        assertThat(first.next()).isNotNull();
        Page second = page(sale, 0, found -> true, first.next(), 9);
        assertThat(second.orders()).extracting(Order::id).containsExactly(order);
        assertThat(second.next()).isNull();
        test.sql("DELETE FROM orders WHERE seq > 1 AND user_id LIKE 'u%'");
    }
}
