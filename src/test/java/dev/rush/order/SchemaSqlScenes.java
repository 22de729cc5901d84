package dev.rush.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.order.OrderSqlScenes.Scene;
import dev.rush.order.StreamEntry.Purchase;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What the SQL of totals and the schema itself promise, each as a scene. */
final class SchemaSqlScenes {
    private static final String CHECK = "23514";
    private static final String UNIQUE = "23505";

    private final TestLedger test;

    SchemaSqlScenes(TestLedger test) {
        this.test = test;
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("P11: a total is raised first here, and lowered by the latest", this::total);
        all.put("P11: an older change of a sale's state is not copied over a later one",
                this::steering);
        all.put("I1, I13: the schema refuses what the guards would", this::checks);
        all.put("I5, I7, I13: the schema knows each thing once", this::keys);
        return all;
    }

    private String total(String sale) {
        return test.sql("SELECT total FROM items WHERE sale = '" + sale + "'");
    }

    private void total() {
        String sale = test.sale(true, "a:5:0");
        SaleLedger.Change raise = test.sales.changeTotal(sale, "a", 8).join();
        assertThat(raise.lower()).isFalse();
        assertThat(total(sale)).isEqualTo("8");
        test.store(test.purchase(sale, "u", "a:3"));
        SaleLedger.Change lower = test.sales.changeTotal(sale, "a", 4).join();
        assertThat(lower).isEqualTo(new SaleLedger.Change(true, raise.version() + 1, true));
        assertThat(total(sale)).isEqualTo("8");
        SaleLedger.Change later = test.sales.changeTotal(sale, "a", 7).join();
        assertThat(test.sales.lowered(sale, "a", 4, lower.version()).join()).isTrue();
        assertThat(total(sale)).isEqualTo("8");
        assertThat(test.sales.lowered(sale, "a", 7, later.version()).join()).isTrue();
        assertThat(total(sale)).isEqualTo("7");
        assertThat(test.sales.lowered(sale, "a", 2, later.version()).join()).isFalse();
        assertThat(test.sales.lowered(sale, "a", 3, later.version()).join()).isTrue();
        assertThat(total(sale)).isEqualTo("3");
        String preparing = test.id("sale");
        test.prepare(preparing, true, "a:5:0");
        assertThat(test.sales.changeTotal(preparing, "a", 9).join().found()).isFalse();
        assertThat(total(preparing)).isEqualTo("5");
    }

    private void steering() {
        String sale = test.sale(true, "a:5:0");
        test.sales.steered(sale, 20, false, false).join();
        test.sales.steered(sale, 10, true, false).join();
        assertThat(paused(sale)).isEqualTo("f");
        test.sales.steered(sale, 30, true, false).join();
        assertThat(paused(sale)).isEqualTo("t");
    }

    private String paused(String sale) {
        return test.sql("SELECT paused FROM sales WHERE sale = '" + sale + "'");
    }

    private void checks() {
        String sale = test.sale(true, "a:5:0");
        String items = "UPDATE items SET sold = %s WHERE sale = '" + sale + "'";
        assertThat(test.sql(items.formatted("total + 1"))).isEqualTo(CHECK);
        assertThat(test.sql(items.formatted("-1"))).isEqualTo(CHECK);
        assertThat(test.sql(items.formatted("total"))).isEqualTo("1");
        String rain = test.id("rain");
        test.rains.prepare(rain, "definition", 3, 10, 2).join();
        String rains = "UPDATE rains SET %s WHERE rain = '" + rain + "'";
        for (String wrong : List.of("granted = 4", "granted = -1", "granted_amount = 11",
                "granted_amount = -1", "state = 'lost'")) {
            assertThat(test.sql(rains.formatted(wrong))).as(wrong).isEqualTo(CHECK);
        }
        Purchase order = test.purchase(sale, "u", "a:1");
        test.sql(items.formatted("0"));
        test.store(order);
        for (String wrong : List.of("status = 'paid'", "credit = 'due'")) {
            assertThat(test.sql("UPDATE orders SET " + wrong + " WHERE id = '" + order.order()
                    + "'")).as(wrong).isEqualTo(CHECK);
        }
        assertThat(test.sql("UPDATE sales SET state = 'lost'")).isEqualTo(CHECK);
        assertThat(test.sql("INSERT INTO returns (id, sale, user_id, state) VALUES ("
                + "gen_random_uuid(), 's', 'u', 'parked')")).isEqualTo(CHECK);
        assertThat(test.sql("INSERT INTO losses (partition, low, high, noticed_at_ms)"
                + " VALUES (1, 2, 2, 1)")).isEqualTo(CHECK);
    }

    private void keys() {
        String order = "INSERT INTO returns (id, sale, user_id, order_id, state) VALUES ("
                + "gen_random_uuid(), 's', 'u', '" + UUID.randomUUID() + "', 'parked')";
        String key = "INSERT INTO returns (id, sale, user_id, key, state) VALUES ("
                + "gen_random_uuid(), 's', 'u', 'k', 'parked')";
        String letter = "INSERT INTO dead_letters (partition, fingerprint, entry, kind, fields,"
                + " reason, tries, state) VALUES (1, 'f', 'e', 'k', '{}', 'r', 1, 'waiting')";
        String grab = "INSERT INTO grabs SELECT gen_random_uuid(), 'r', 'u%s', 'k%s', %s, %s, 1,"
                + " 'confirmed', 1, 1, 1";
        for (String once : List.of(order, key, letter, grab.formatted(1, 1, 1, 1))) {
            assertThat(test.sql(once)).as(once).isEqualTo("1");
        }
        for (String twice : List.of(order, key, letter, grab.formatted(2, 2, 1, 2),
                grab.formatted(1, 3, 3, 1), grab.formatted(1, 1, 4, 4))) {
            assertThat(test.sql(twice)).as(twice).isEqualTo(UNIQUE);
        }
        test.sql("DELETE FROM returns");
    }
}
