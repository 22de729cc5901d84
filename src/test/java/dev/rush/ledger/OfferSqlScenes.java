package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.SaleRows.Entry;
import dev.rush.ledger.SaleRows.TotalChange;
import dev.rush.redis.Partitions;
import dev.rush.testing.Scene;
import java.sql.Connection;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/** The promises of the SQL of sales, rains and months, each as a scene. */
final class OfferSqlScenes {

    private final TestJournal test;

    OfferSqlScenes(TestJournal test) {
        this.test = test;
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("I14: a sale is stored once, and its stock is released once", this::sale);
        all.put("I14: a rain is stored once, and one loading is released", this::rain);
        all.put("P11: a total rises in the ledger first, and only its latest change lowers it",
                this::total);
        all.put("P11: an older pause or close is not copied after a later one",
                this::control);
        all.put("a month's tables are created ahead of time, once", this::months);
        all.put("a month is live until all of its sales and rains are retired", this::live);
        all.put("one refresh finds every change, however late it commits",
                this::known);
        all.put("the latest retired offers are cached, older ones are queried", this::retired);
        all.put("A1: the audit records once that a sale or rain was prepared, and loaded",
                this::noted);
        return all;
    }

    private Entry prepare(String sale, String definition, long total) {
        return test.transact((connection, ledgerState) -> SaleRows.prepare(connection,
                new SaleRows.Terms(sale, List.of(3, 1), definition, true, 60_000, 7, 99,
                        List.of(new SaleRows.Item("b", total, 2),
                                new SaleRows.Item("a", 4, 0)))));
    }

    private int month() {
        return Integer.parseInt(test.sql("SELECT month_of(now())"));
    }

    private String load(String sale, String release) {
        return test.transact((connection, ledgerState) ->
                SaleRows.load(connection, sale, release));
    }

    private void sale() {
        String sale = test.id("sale");
        assertThat(prepare(sale, "{}", 5)).isEqualTo(
                new Entry(true, true, OfferState.PREPARING, null, month()));
        assertThat(prepare(sale, "{\"name\": 1}", 9)).isEqualTo(
                new Entry(false, false, OfferState.PREPARING, null, month()));
        assertThat(load(sale, "one")).isEqualTo("one");
        assertThat(load(sale, "two")).isEqualTo("one");
        assertThat(prepare(sale, "{}", 5)).isEqualTo(
                new Entry(false, true, OfferState.LOADED, "one", month()));
        assertThat(test.sql("SELECT concat_ws(' ', month = month_of(now()), partitions,"
                + " returns_limit, payment_window_ms, orders_per_user, ends_at_ms,"
                + " loaded_at = now()) FROM sales WHERE sale = '" + sale + "'"))
                .isEqualTo("t {3,1} t 60000 7 99 f");
        String other = test.sale("c:3:1");
        Map<String, SaleRows.Kept> kept = test.transact((connection, ledgerState) ->
                SaleRows.kept(connection, List.of(sale, "none", other)));
        assertThat(kept).isEqualTo(Map.of(sale, new SaleRows.Kept("{}", 0, List.of(
                new SaleRows.KeptItem("a", 4, 0, 0), new SaleRows.KeptItem("b", 5, 2, 0))),
                other, new SaleRows.Kept("{}", 0, List.of(
                        new SaleRows.KeptItem("c", 3, 1, 0)))));
    }

    private Entry prepareRain(String rain, String definition) {
        return test.transact((connection, ledgerState) -> RainRows.prepare(connection,
                new RainRows.Terms(rain, 2, definition, 3, 10, 1, 0)));
    }

    private void rain() {
        String rain = test.id("rain");
        assertThat(prepareRain(rain, "{}")).isEqualTo(
                new Entry(true, true, OfferState.PREPARING, null, month()));
        assertThat(prepareRain(rain, "[]").same()).isFalse();
        for (String release : List.of("one", "two")) {
            String released = test.transact((connection, ledgerState) ->
                    RainRows.load(connection, rain, release));
            assertThat(released).isEqualTo("one");
        }
        assertThat(prepareRain(rain, "{}").state()).isEqualTo(OfferState.LOADED);
        assertThat(test.sql("UPDATE rains SET granted = 2, granted_amount = 7 WHERE rain = '"
                + rain + "'")).isEqualTo("1");
        Map<String, RainRows.Kept> kept = test.transact((connection, ledgerState) ->
                RainRows.kept(connection, List.of("none", rain)));
        assertThat(kept).isEqualTo(Map.of(rain, new RainRows.Kept("{}", 0, 2, 7)));
    }

    private String totalOf(String sale) {
        return test.sql("SELECT total FROM items WHERE sale = '" + sale + "' AND sku = 'b'");
    }

    private TotalChange begin(String sale, long total) {
        return test.transact((connection, ledgerState) ->
                SaleRows.beginTotal(connection, sale, "b", total));
    }

    private boolean end(String sale, long total, long version) {
        return test.transact((connection, ledgerState) ->
                SaleRows.endTotal(connection, sale, "b", total, version));
    }

    private void total() {
        String sale = test.id("sale");
        prepare(sale, "{}", 5);
        assertThat(begin(sale, 9)).as("not loaded").isNull();
        load(sale, "one");
        assertThat(begin(sale, 8)).isEqualTo(new TotalChange(1, false));
        assertThat(totalOf(sale)).isEqualTo("8");
        test.sql("UPDATE items SET sold = 3 WHERE sale = '" + sale + "' AND sku = 'b'");
        TotalChange lower = begin(sale, 4);
        assertThat(lower).isEqualTo(new TotalChange(2, true));
        assertThat(totalOf(sale)).isEqualTo("8");
        TotalChange later = begin(sale, 7);
        assertThat(end(sale, 4, lower.version())).as("a later one began").isTrue();
        assertThat(totalOf(sale)).isEqualTo("8");
        assertThat(end(sale, 7, later.version())).isTrue();
        assertThat(totalOf(sale)).isEqualTo("7");
        assertThat(end(sale, 2, later.version())).as("more is sold").isFalse();
        assertThat(end(sale, 3, later.version())).isTrue();
        assertThat(totalOf(sale)).isEqualTo("3");
        assertThat(test.sql("SELECT total FROM items WHERE sale = '" + sale
                + "' AND sku = 'a'")).isEqualTo("4");
    }

    private void control() {
        String sale = test.sale("a:1:0");
        String rain = test.id("rain");
        prepareRain(rain, "{}");
        for (int repeated = 0; repeated < 2; repeated++) {
            boolean first = repeated == 0;
            boolean ofSale = test.transact((connection, ledgerState) ->
                    SaleRows.applyControl(connection, sale, 20, false, 7L));
            boolean ofRain = test.transact((connection, ledgerState) ->
                    RainRows.applyControl(connection, rain, 20, false, 7L));
            assertThat(List.of(ofSale, ofRain)).containsOnly(first);
        }
        boolean older = test.transact((connection, ledgerState) ->
                SaleRows.applyControl(connection, sale, 10, true, 0L)
                || RainRows.applyControl(connection, rain, 19, true, 0L));
        assertThat(older).isFalse();
        boolean later = test.transact((connection, ledgerState) ->
                SaleRows.applyControl(connection, sale, 21, true, 7L)
                && RainRows.applyControl(connection, rain, 21, true, 7L));
        assertThat(later).isTrue();
        assertThat(test.sql("SELECT concat_ws(' ', s.paused, s.closed_at_ms, s.control,"
                + " r.paused, r.closed_at_ms, r.control) FROM sales s, rains r WHERE sale = '"
                + sale + "' AND rain = '" + rain + "'")).isEqualTo("t 7 21 t 7 21");
    }

    private void months() {
        assertThat(test.sql("SELECT ensure_month(202501)")).isEqualTo("t");
        assertThat(test.sql("SELECT ensure_month(202501)")).isEqualTo("f");
        for (String table : List.of("orders", "rejected", "steps", "grabs", "rejected_grabs",
                "blocks")) {
            assertThat(test.sql("SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE"
                    + " relname = '" + table + "_202501'")).isEqualTo("FOR VALUES IN (202501)");
        }
        test.transact((connection, ledgerState) -> Months.ensure(connection));
        int again = test.transact((connection, ledgerState) -> Months.ensure(connection));
        assertThat(again).isZero();
        assertThat(test.sql("SELECT to_regclass('orders_' || month_of(now()"
                + " + interval '2 months')) IS NOT NULL")).isEqualTo("t");
        assertThat(test.sql("SELECT month_of('2026-01-01 01:00+02') || ' ' ||"
                + " month_of('2026-12-31 23:00-02')")).isEqualTo("202512 202701");
    }

    private List<Integer> liveMonths() {
        return test.transact((connection, ledgerState) -> Months.live(connection));
    }

    private void live() {
        String sale = test.sale("a:1:0");
        String rain = test.id("rain");
        prepareRain(rain, "{}");
        test.sql("UPDATE sales SET month = 202402 WHERE sale = '" + sale + "'");
        test.sql("UPDATE rains SET month = 202403 WHERE rain = '" + rain + "'");
        assertThat(liveMonths()).contains(202402, 202403).isSorted();
        test.sql("UPDATE sales SET state = 'retiring' WHERE sale = '" + sale + "'");
        test.sql("UPDATE rains SET state = 'retiring' WHERE rain = '" + rain + "'");
        assertThat(liveMonths()).contains(202402, 202403);
        test.sql("UPDATE sales SET state = 'retired' WHERE sale = '" + sale + "'");
        test.sql("UPDATE rains SET state = 'retired' WHERE rain = '" + rain + "'");
        assertThat(liveMonths()).doesNotContain(202402, 202403);
    }

    private OfferCache offers() {
        return new OfferCache(test.ledger, new Partitions(8));
    }

    private void known() throws Exception {
        OfferCache known = offers();
        known.refresh();
        String sale = test.id("sale");
        String rain = test.id("rain");
        prepare(sale, "{\"durability\": \"replicas\"}", 5);
        known.refresh();
        assertThat(known.sale(sale)).as("only being prepared").isNull();
        assertThat(known.readSale(sale)).isNull();
        try (Connection late = test.connect()) {
            // Its transaction is older than others that this pod sees before it.
            try (Statement statement = late.createStatement()) {
                statement.execute("UPDATE sales SET state = 'loaded', changed ="
                        + " pg_current_xact_id() WHERE sale = '" + sale + "'");
            }
            prepareRain(rain, "{}");
            test.transact((connection, ledgerState) -> RainRows.load(connection, rain, "one"));
            known.refresh();
            known.refresh();
            assertThat(known.rain(rain).partitions()).containsExactly(2);
            assertThat(known.sale(sale)).isNull();
            late.commit();
        }
        known.refresh();
        assertThat(known.sale(sale)).extracting(Offer::state, Offer::partitions,
                Offer::durability).containsExactly(OfferState.LOADED, List.of(3, 1), "replicas");
        assertThat(offers().findSale(sale).join()).isEqualTo(known.sale(sale));
        assertThat(known.partitions()).contains(1, 2, 3);
        assertThat(known.shardedPartitions()).containsExactlyInAnyOrder(1, 3);
        test.sql("UPDATE sales SET state = 'retiring', changed = pg_current_xact_id()"
                + " WHERE sale = '" + sale + "'");
        known.refresh();
        assertThat(known.sale(sale).state().isRetired()).isTrue();
    }

    private void retired() {
        String prefix = test.id("old");
        List<String> ids = IntStream.range(0, 5).mapToObj(i -> prefix + "-" + i).toList();
        for (String id : ids) {
            test.sql("INSERT INTO sales (sale, month, partitions, definition, state, returns_limit,"
                    + " payment_window_ms, orders_per_user) VALUES ('" + id + "', 202501, '{0}',"
                    + " '{}', 'retired', true, 0, 1)");
        }
        String open = test.sale("a:1:0");
        OfferCache all = new OfferCache(test.ledger, new Partitions(8), 1_000);
        OfferCache some = new OfferCache(test.ledger, new Partitions(8), 2);
        all.refresh();
        some.refresh();
        assertThat(ids).extracting(all::sale).doesNotContainNull();
        assertThat(all.sale(open).state()).isEqualTo(OfferState.LOADED);
        assertThat(some.sale(open).state()).isEqualTo(OfferState.LOADED);
        assertThat(some.retiredSale(open).join()).isNull();
        assertThat(some.sale(ids.get(4))).isNotNull();
        assertThat(ids).extracting(some::sale).filteredOn(Objects::isNull).isNotEmpty();
        assertThat(ids).extracting(id -> some.retiredSale(id).join().id())
                .containsExactlyElementsOf(ids);
        for (int i = 0; i < 2; i++) {
            assertThat(some.retiredSale(prefix).join()).isNull();
        }
        assertThat(some.sale(ids.get(4))).as("used last").isNotNull();
        assertThat(some.sale(ids.get(0))).as("evicted").isNull();
        test.sql("DELETE FROM sales WHERE sale LIKE '" + prefix + "-%'");
    }

    private void noted() {
        Actor actor = Actor.service("test");
        OfferCache known = offers();
        SaleLedger sales = new SaleLedger(test.ledger, known);
        RainLedger rains = new RainLedger(test.ledger, known);
        String id = test.id("offer");
        for (int i = 0; i < 2; i++) {
            sales.prepare(new SaleRows.Terms(id, List.of(0), "{}", true, 0, 1, 0,
                    List.of(new SaleRows.Item("a", 1, 0))), actor).join();
            rains.prepare(new RainRows.Terms(id, 0, "{}", 1, 1, 1, 0), actor).join();
        }
        for (String release : List.of("one", "two")) {
            assertThat(sales.loaded(id, release, actor).join()).isEqualTo("one");
            assertThat(rains.loaded(id, release, actor).join()).isEqualTo("one");
        }
        assertThat(known.sale(id).state()).isEqualTo(OfferState.LOADED);
        assertThat(known.rain(id).state()).isEqualTo(OfferState.LOADED);
        assertThat(test.sql("SELECT string_agg(action || ' ' || after, ', ' ORDER BY xact, place)"
                + " FROM audit WHERE subject = '" + id + "'")).isEqualTo("sale.prepared {},"
                + " rain.prepared {}, sale.loaded \"one\", rain.loaded \"one\"");
    }
}
