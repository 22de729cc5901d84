package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partitions;
import dev.rush.testing.Scene;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The promises of the SQL that stores lost sales and rains again, each as a scene. */
final class RefillSqlScenes {
    private static final RefilledOffers.State STATE =
            new RefilledOffers.State(202403, "one", true, 6, 31, 1_710_000_000_123L);
    private static final RefilledOffers.State OTHER =
            new RefilledOffers.State(202403, "two", false, 0, 0, 1_710_000_000_123L);

    private final TestJournal test;

    RefillSqlScenes(TestJournal test) {
        this.test = test;
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("I14: a lost sale is stored as it was, and never over an existing one",
                this::sale);
        all.put("I14: a lost rain is stored as it was, and never over an existing one",
                this::rain);
        all.put("I14: a released sale replaces one that is only being prepared",
                this::preparing);
        all.put("sales and rains that are not released in this ledger are listed",
                this::unknown);
        return all;
    }

    private boolean enterSale(String sale, RefilledOffers.State state) {
        return test.transact((connection, ledgerState) -> RefilledOffers.sale(connection,
                new SaleRows.Terms(sale, List.of(3, 1), "{\"a\": 1}", false, 60_000, 7, 99,
                        List.of()), List.of(new RefilledOffers.Item("b", 5, 2, 4),
                                new RefilledOffers.Item("a", 4, 0, 0)), state));
    }

    private boolean enterRain(String rain, RefilledOffers.State state) {
        return test.transact((connection, ledgerState) -> RefilledOffers.rain(connection,
                new RainRows.Terms(rain, 2, "{\"a\": 1}", 3, 10, 1, 98), state));
    }

    private String saleRow(String sale) {
        return test.sql("SELECT concat_ws(' ', month, partitions, definition, state, release,"
                + " returns_limit, payment_window_ms, orders_per_user, ends_at_ms, paused,"
                + " closed_at_ms, control, (extract(epoch FROM prepared_at) * 1000)::bigint,"
                + " (extract(epoch FROM loaded_at) * 1000)::bigint) FROM sales WHERE sale = '"
                + sale + "'");
    }

    private String items(String sale) {
        return test.sql("SELECT string_agg(concat_ws(' ', sku, total, sold, limit_per_user,"
                + " version), ', ' ORDER BY sku) FROM items WHERE sale = '" + sale + "'");
    }

    private String rainRow(String rain) {
        return test.sql("SELECT concat_ws(' ', month, partition, definition, state, release,"
                + " envelopes, amount, granted, limit_per_user, ends_at_ms, paused, closed_at_ms,"
                + " control, (extract(epoch FROM prepared_at) * 1000)::bigint,"
                + " (extract(epoch FROM loaded_at) * 1000)::bigint) FROM rains WHERE rain = '"
                + rain + "'");
    }

    private void sale() {
        String sale = test.id("sale");
        String row = "202403 {3,1} {\"a\": 1} loaded one f 60000 7 99 t 6 31 1710000000123"
                + " 1710000000123";
        for (boolean first : List.of(true, false)) {
            assertThat(enterSale(sale, first ? STATE : OTHER)).isEqualTo(first);
            assertThat(saleRow(sale)).isEqualTo(row);
            assertThat(items(sale)).isEqualTo("a 4 0 0 0, b 5 0 2 4");
        }
        assertThat(test.sql("SELECT to_regclass('orders_202403') IS NOT NULL")).isEqualTo("t");
        test.sql("UPDATE sales SET state = 'retired' WHERE sale = '" + sale + "'");
        assertThat(enterSale(sale, OTHER)).isFalse();
    }

    private void rain() {
        String rain = test.id("rain");
        for (boolean first : List.of(true, false)) {
            assertThat(enterRain(rain, first ? STATE : OTHER)).isEqualTo(first);
            assertThat(rainRow(rain)).isEqualTo("202403 2 {\"a\": 1} loaded one 3 10 0 1 98 t 6"
                    + " 31 1710000000123 1710000000123");
        }
        test.sql("UPDATE rains SET state = 'retired' WHERE rain = '" + rain + "'");
        assertThat(enterRain(rain, OTHER)).isFalse();
    }

    private void preparing() {
        String sale = test.id("sale");
        String rain = test.id("rain");
        test.transact((connection, ledgerState) -> SaleRows.prepare(connection,
                new SaleRows.Terms(sale, List.of(0), "{}", true, 0, 1, 0,
                        List.of(new SaleRows.Item("other", 1, 0)))));
        test.transact((connection, ledgerState) -> RainRows.prepare(connection,
                new RainRows.Terms(rain, 0, "{}", 1, 1, 9, 0)));
        OfferCache known = new OfferCache(test.ledger, new Partitions(8));
        known.refresh();
        known.refresh();
        assertThat(enterSale(sale, STATE)).isTrue();
        assertThat(enterRain(rain, STATE)).isTrue();
        String again = test.id("sale");
        enterSale(again, STATE);
        assertThat(saleRow(sale)).isEqualTo(saleRow(again));
        assertThat(items(sale)).isEqualTo(items(again));
        String rainAgain = test.id("rain");
        enterRain(rainAgain, STATE);
        assertThat(rainRow(rain)).isEqualTo(rainRow(rainAgain));
        known.refresh();
        assertThat(known.sale(sale)).as("pods learn of it").extracting(Offer::month)
                .isEqualTo(202403);
        assertThat(known.rain(rain)).extracting(Offer::month).isEqualTo(202403);
    }

    private void unknown() {
        String there = test.sale("a:1:0");
        String prepared = test.id("sale");
        String rain = test.id("rain");
        enterRain(rain, STATE);
        test.transact((connection, ledgerState) -> SaleRows.prepare(connection,
                new SaleRows.Terms(prepared, List.of(0), "{}", true, 0, 1, 0, List.of())));
        String preparedRain = test.id("rain");
        test.transact((connection, ledgerState) -> RainRows.prepare(connection,
                new RainRows.Terms(preparedRain, 0, "{}", 1, 1, 9, 0)));
        List<String> ids = List.of(there, prepared, rain, preparedRain, "none");
        List<String> sales = test.transact((connection, ledgerState) ->
                RefilledOffers.unknownSales(connection, ids));
        assertThat(sales).containsExactlyInAnyOrder(prepared, rain, preparedRain, "none");
        List<String> rains = test.transact((connection, ledgerState) ->
                RefilledOffers.unknownRains(connection, ids));
        assertThat(rains).containsExactlyInAnyOrder(there, prepared, preparedRain, "none");
    }
}
