package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Scene;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The promises of the schema itself, each as a scene. */
final class SchemaSqlScenes {
    private static final String CHECK = "23514";
    private static final String UNIQUE = "23505";

    private final TestJournal test;

    SchemaSqlScenes(TestJournal test) {
        this.test = test;
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("I1, I13: the schema enforces the guards", this::checks);
        all.put("I4, I5, I7: each order, key and first order is unique", this::keys);
        all.put("I5, I13: each envelope and each return is unique", this::once);
        all.put("an order's last step determines its status", this::states);
        return all;
    }

    private void checks() {
        String sale = test.sale("a:5:0");
        String items = "UPDATE items SET sold = %s WHERE sale = '" + sale + "'";
        assertThat(test.sql(items.formatted("total + 1"))).isEqualTo(CHECK);
        assertThat(test.sql(items.formatted("-1"))).isEqualTo(CHECK);
        assertThat(test.sql(items.formatted("total"))).isEqualTo("1");
        assertThat(test.sql("UPDATE sales SET state = 'lost'")).isEqualTo(CHECK);
        String rain = test.id("rain");
        assertThat(test.sql("INSERT INTO rains (rain, month, partition, definition, state,"
                + " envelopes, amount, limit_per_user) VALUES ('" + rain + "', "
                + TestJournal.MONTH + ", 0, 'd', 'loaded', 3, 10, 2)")).isEqualTo("1");
        for (String wrong : List.of("granted = 4", "granted = -1", "granted_amount = 11",
                "granted_amount = -1", "state = 'lost'")) {
            assertThat(test.sql("UPDATE rains SET " + wrong + " WHERE rain = '" + rain + "'"))
                    .as(wrong).isEqualTo(CHECK);
        }
        test.sql(items.formatted("0"));
        UUID order = test.order(sale, "u", "k", "a:1", 0);
        assertThat(test.sql(step(order, 1, "paid"))).isEqualTo(CHECK);
        assertThat(test.sql("INSERT INTO returns (id, sale, user_id, state, actor) VALUES ("
                + "gen_random_uuid(), 's', 'u', 'parked', 'buyer:u')")).isEqualTo(CHECK);
        assertThat(test.sql("INSERT INTO losses (partition, low, high, noticed_at_ms)"
                + " VALUES (1, 2, 2, 1)")).isEqualTo(CHECK);
    }

    private static String step(UUID order, int step, String kind) {
        return "INSERT INTO steps (month, order_id, step, kind, epoch, partition, sale, actor)"
                + " VALUES (" + TestJournal.MONTH + ", '" + order + "', " + step + ", '" + kind
                + "', 1, 0, 's', 'service:test')";
    }

    private void keys() {
        String sale = test.sale("a:9:0");
        UUID order = test.order(sale, "u", "k", "a:1", 0);
        String copy = "INSERT INTO orders SELECT %s, month, block, seq, placed_at_ms, pay_by_ms,"
                + " partition, sale, %s, key, digest, lines, lefts, %s FROM orders WHERE id = '"
                + order + "'";
        assertThat(test.sql(copy.formatted("id", "'v'", "NULL"))).isEqualTo(UNIQUE);
        assertThat(test.sql(copy.formatted("gen_random_uuid()", "'u'", "'k'")))
                .isEqualTo(UNIQUE);
        assertThat(test.sql(copy.formatted("gen_random_uuid()", "'v'", "'k'"))).isEqualTo("1");
        assertThat(test.sql(copy.formatted("gen_random_uuid()", "'u'", "''"))).isEqualTo("1");
        assertThat(test.sql(copy.formatted("gen_random_uuid()", "'u'", "''")))
                .isEqualTo(UNIQUE);
        assertThat(test.sql(copy.formatted("gen_random_uuid()", "'u'", "NULL"))).isEqualTo("1");
        assertThat(test.sql(copy.formatted("gen_random_uuid()", "'u'", "NULL"))).isEqualTo("1");
        assertThat(test.sql(step(order, 1, "returned"))).isEqualTo("1");
        assertThat(test.sql(step(order, 1, "returned"))).isEqualTo(UNIQUE);
        assertThat(test.sql(step(order, 2, "credited"))).isEqualTo("1");
    }

    private void once() {
        String grab = "INSERT INTO grabs VALUES (gen_random_uuid(), " + TestJournal.MONTH
                + ", 1, 1, 1, %s, %s, 1, 0, 'r', 'u', %s)";
        assertThat(test.sql(grab.formatted("1", "1", "NULL"))).isEqualTo("1");
        assertThat(test.sql(grab.formatted("1", "2", "NULL"))).isEqualTo(UNIQUE);
        assertThat(test.sql(grab.formatted("2", "1", "NULL"))).isEqualTo(UNIQUE);
        assertThat(test.sql(grab.formatted("2", "2", "'k'"))).isEqualTo("1");
        assertThat(test.sql(grab.formatted("3", "3", "'k'"))).isEqualTo(UNIQUE);
        assertThat(test.sql(grab.formatted("3", "3", "NULL"))).isEqualTo("1");
        String returned = "INSERT INTO returns (id, sale, user_id, order_id, key, state, actor)"
                + " VALUES (gen_random_uuid(), 's', 'u', %s, %s, 'parked', 'buyer:u')";
        String order = "'" + UUID.randomUUID() + "'";
        assertThat(test.sql(returned.formatted(order, "NULL"))).isEqualTo("1");
        assertThat(test.sql(returned.formatted(order, "NULL"))).isEqualTo(UNIQUE);
        assertThat(test.sql(returned.formatted("NULL", "'k'"))).isEqualTo("1");
        assertThat(test.sql(returned.formatted("NULL", "'k'"))).isEqualTo(UNIQUE);
        String retry = "INSERT INTO retries (partition, fingerprint, kind, fields, reason, tries,"
                + " state) VALUES (%d, 'f', 'purchase', '{}', 'r', 1, 'waiting')";
        assertThat(test.sql(retry.formatted(1))).isEqualTo("1");
        assertThat(test.sql(retry.formatted(2))).isEqualTo("1");
        assertThat(test.sql(retry.formatted(1))).isEqualTo(UNIQUE);
        test.sql("DELETE FROM retries");
    }

    private void states() {
        String sale = test.sale("a:9:0");
        UUID reserved = test.order(sale, "u", null, "a:1", 5);
        UUID returned = test.order(sale, "u", "k", "a:1", 0);
        test.sql(step(returned, 1, "returned"));
        test.sql(step(returned, 2, "credited"));
        String state = "SELECT status FROM order_states WHERE id = '";
        assertThat(test.sql(state + reserved + "'")).isEqualTo("reserved");
        assertThat(test.sql(state + returned + "'")).isEqualTo("returned");
        assertThat(test.find(sale, reserved)).extracting(Order::status, Order::step, Order::key)
                .containsExactly(OrderStatus.RESERVED, 0, null);
        assertThat(test.find(sale, returned)).extracting(Order::status, Order::step, Order::key)
                .containsExactly(OrderStatus.RETURNED, 1, "k");
        test.sql(step(reserved, 1, "confirmed"));
        assertThat(test.find(sale, reserved).status()).isEqualTo(OrderStatus.CONFIRMED);
    }
}
