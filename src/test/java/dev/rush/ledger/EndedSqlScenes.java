package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.EndedOrders.Ended;
import dev.rush.testing.Scene;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The promises of the SQL that stores orders which have ended, each as a scene. */
final class EndedSqlScenes {
    private static final Actor ACTOR = Actor.service("test");

    private final TestJournal test;

    EndedSqlScenes(TestJournal test) {
        this.test = test;
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("I11: ended orders are stored with their steps, sums and block", this::stored);
        all.put("one order of a buyer has the empty claim, others have their keys", this::claims);
        all.put("ended orders that conflict with others are skipped", this::conflicts);
        return all;
    }

    private static Ended ended(String sale, UUID id, String user, @Nullable String key) {
        Order order = new Order(id, TestJournal.MONTH, sale, user, key, "=", "a:2", "7", 5, 9, 3, 0,
                0, OrderStatus.EXPIRED, 0, null);
        return new Ended(order, List.of(
                new Step(id, 1, StepKind.EXPIRED, 3, sale, 0, ACTOR, null, Payment.NONE),
                new Step(id, 2, StepKind.CREDITED, 3, sale, 0, ACTOR, null, Payment.NONE)));
    }

    private Set<UUID> store(String sale, Ended... ended) {
        return test.transact((connection, ledgerState) -> EndedOrders.store(connection,
                ledgerState, sale, TestJournal.MONTH, 3, List.of(ended)));
    }

    private static UUID id() {
        return UUID.randomUUID();
    }

    private String rows(String sale) {
        return test.sql("SELECT string_agg(concat_ws(' ', user_id, key, claim IS NULL, claim), ', '"
                + " ORDER BY user_id, key, claim) FROM orders WHERE sale = '" + sale + "'");
    }

    /** The numbers of orders in blocks of orders without a number. */
    private String blocks(String sale) {
        return test.sql("SELECT string_agg(orders::text, ' ') FROM blocks WHERE first_seq = 0"
                + " AND subjects = ARRAY['" + sale + "']");
    }

    private void stored() {
        String sale = test.sale("a:9:0");
        UUID one = id();
        assertThat(store(sale, ended(sale, one, "u1", null), ended(sale, id(), "u2", "k")))
                .hasSize(2);
        assertThat(test.sql("SELECT concat_ws(' ', seq, placed_at_ms, pay_by_ms, partition,"
                + " user_id, digest, lines, lefts) FROM orders WHERE id = '" + one + "'"))
                .isEqualTo("0 5 9 3 u1 = a:2 7");
        assertThat(test.sql("SELECT string_agg(concat_ws(' ', step, kind, partition, sale = '"
                + sale + "'), ', ' ORDER BY step) FROM steps WHERE order_id = '" + one + "'"))
                .isEqualTo("1 expired 3 t, 2 credited 3 t");
        assertThat(test.sums(sale)).isEqualTo(test.recount(sale)).isEqualTo("a 4 0 0 4 0 4");
        assertThat(test.sold(sale)).isEqualTo("a 0");
        assertThat(test.sql("SELECT string_agg(concat_ws(' ', b.partition, b.first_seq, b.last_seq,"
                + " b.places_before, b.orders, b.subjects, b.epoch = (SELECT epoch FROM ledger)),"
                + " ', ') FROM blocks b WHERE b.subjects = ARRAY['" + sale + "']"))
                .isEqualTo("3 0 0 0 2 {" + sale + "} t");
        assertThat(test.sql("SELECT count(*) FROM orders o JOIN blocks b USING (month, block)"
                + " WHERE o.sale = '" + sale + "'")).isEqualTo("2");
    }

    private void claims() {
        String sale = test.sale("a:9:0");
        String other = test.sale("a:9:0");
        test.order(sale, "u1", "k0", "a:1", 0);
        test.order(sale, "u2", "k0", "a:1", 0);
        test.order(other, "u3", "k0", "a:1", 0);
        test.sql("UPDATE orders SET claim = CASE user_id WHEN 'u2' THEN 'k0' ELSE '' END"
                + " WHERE sale IN ('" + sale + "', '" + other + "')");
        List<UUID> two = Stream.of(id(), id()).sorted(Comparator.comparing(UUID::toString))
                .toList();
        store(sale, ended(sale, id(), "u1", "k1"), ended(sale, id(), "u2", "k1"),
                ended(sale, id(), "u3", "k1"), ended(sale, two.get(1), "u4", "k2"),
                ended(sale, two.get(0), "u4", "k1"));
        assertThat(rows(sale)).isEqualTo("u1 k0 f , u1 k1 f k1, u2 k0 f k0, u2 k1 f , u3 k1 f ,"
                + " u4 k1 f , u4 k2 f k2");
        store(sale, ended(sale, id(), "u1", null));
        assertThat(rows(sale)).contains("u1 t");
    }

    private void conflicts() {
        String sale = test.sale("a:9:0");
        UUID known = test.order(sale, "u1", "k", "a:1", 0);
        test.sql("UPDATE orders SET claim = 'k' WHERE id = '" + known + "'");
        test.order(sale, "u1", "first", "a:1", 0);
        test.sql("UPDATE orders SET claim = '' WHERE key = 'first' AND sale = '" + sale + "'");
        String before = Stream.of(test.sums(sale), rows(sale)).toList().toString();
        assertThat(store(sale, ended(sale, known, "u9", "other"), ended(sale, id(), "u1", "k")))
                .isEmpty();
        assertThat(List.of(test.sums(sale), rows(sale)).toString()).isEqualTo(before);
        assertThat(test.sql("SELECT count(*) FROM steps WHERE sale = '" + sale + "'"))
                .isEqualTo("0");
        assertThat(blocks(sale)).isNull();
        assertThat(store(sale, ended(sale, known, "u9", "other"), ended(sale, id(), "u2", "k")))
                .hasSize(1);
        assertThat(blocks(sale)).isEqualTo("1");
    }
}
