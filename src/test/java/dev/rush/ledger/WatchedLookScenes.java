package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.WatchedOffers.Due;
import dev.rush.ledger.WatchedOffers.Opened;
import dev.rush.testing.Scene;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which sales and rains are checked, and which events a sold-out one causes, as scenes. */
final class WatchedLookScenes extends Watching {

    WatchedLookScenes(TestJournal test) {
        super(test);
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("E1: a sale sells out, and again after units came back", this::soldOut);
        all.put("E1: a rain opens, is emptied and closes", this::rain);
        all.put("E1: sales and rains that are due are checked, oldest first", this::due);
        all.put("E1: one that Redis does not have is over, or is checked later", this::absent);
        return all;
    }

    private void soldOut() {
        String sale = sale(0, 0);
        String other = sale(0, 0);
        sold(sale, 2, 2);
        units(true, sale);
        assertThat(opened(true, sale)).isNull();
        reach(sale, 1);
        reach(other, 1);
        sold(other, 2, 1);
        assertThat(opened(true, other)).isEqualTo(new Opened(other, false));
        assertThat(opened(true, sale)).isEqualTo(new Opened(sale, true));
        for (int i = 0; i < 2; i++) {
            units(true, sale);
            units(true, other);
        }
        assertThat(changes(sale)).isEqualTo("sale.opened, sale.sold-out");
        assertThat(opened(true, sale)).isEqualTo(new Opened(sale, false));
        sold(sale, 2, 1);
        assertThat(opened(true, sale)).isEqualTo(new Opened(sale, true));
        units(true, sale);
        assertThat(opened(true, sale)).isEqualTo(new Opened(sale, false));
        sold(sale, 2, 2);
        units(true, sale);
        assertThat(changes(sale)).isEqualTo("sale.opened, sale.sold-out, sale.sold-out");
        assertThat(changes(other)).isEqualTo("sale.opened");
        List<Opened> page = test.transact((connection, ledgerState) ->
                WatchedOffers.opened(connection, true, sale, 1));
        assertThat(page).singleElement().satisfies(next ->
                assertThat(next.id()).isGreaterThan(sale));
    }

    private void rain() {
        String name = test.id("rain");
        // A sale of the same name, which opens at another time.
        test.sql("INSERT INTO sales (sale, month, partitions, definition, state, returns_limit,"
                + " payment_window_ms, orders_per_user) VALUES ('" + name + "', "
                + TestJournal.MONTH + ", '{0}', '{}', 'loaded', true, 0, 20)");
        reach(name, 1);
        test.sql("INSERT INTO rains (rain, month, partition, definition, state, envelopes,"
                + " amount, limit_per_user, ends_at_ms) VALUES ('" + name + "', "
                + TestJournal.MONTH + ", 0, '{\"startsAt\":1000}', 'loaded', 2, 9, 1, 2000)");
        assertThat(opened(false, name)).isNull();
        reachRain(name, 1_000);
        test.sql("UPDATE rains SET granted = 1 WHERE rain = '" + name + "'");
        assertThat(opened(false, name)).isEqualTo(new Opened(name, false));
        test.sql("UPDATE rains SET granted = 2 WHERE rain = '" + name + "'");
        assertThat(opened(false, name)).isEqualTo(new Opened(name, true));
        units(false, name);
        units(false, name);
        reachRain(name, 2_000);
        assertThat(changes(name)).isEqualTo(
                "sale.opened, rain.opened 1000, rain.emptied, rain.closed 2000");
        assertThat(state(name)).as("the sale").isEqualTo("t never");
    }

    private void reachRain(String rain, long nowMs) {
        test.transact((connection, ledgerState) -> {
            WatchedOffers.reach(connection, ledgerState, false, rain, nowMs);
            return null;
        });
    }

    private void due() {
        test.sql("DELETE FROM watched");
        String late = sale(2_000, 0);
        String early = sale(1_000, 0);
        String far = sale(FAR, 0);
        for (String sale : List.of(late, early, far)) {
            reach(sale, 1);
        }
        assertThat(due(ALL)).containsExactly(new Due(true, early), new Due(true, late));
        assertThat(due(1)).containsExactly(new Due(true, early));
    }

    private void absent(String sale) {
        test.transact((connection, ledgerState) -> {
            WatchedOffers.absent(connection, ledgerState, new Due(true, sale), 3_600_000);
            return null;
        });
    }

    private void absent() {
        String lost = sale(1_000, 2_000);
        String retired = sale(1_000, 2_000);
        String other = sale(1_000, 2_000);
        set(retired, "state = 'retired'");
        absent(lost);
        absent(retired);
        assertThat(isDue(lost)).isFalse();
        assertThat(isDue(other)).isTrue();
        assertThat(Long.parseLong(state(lost).substring(2)) - System.currentTimeMillis())
                .isBetween(1_800_000L, 5_400_000L);
        assertThat(changes(lost)).isNull();
        assertThat(changes(retired)).isEqualTo("sale.opened 1000, sale.closed 2000");
        String gone = test.id("gone");
        test.sql("INSERT INTO watched VALUES (true, '" + gone + "')");
        absent(gone);
        assertThat(state(gone)).isNull();
    }
}
