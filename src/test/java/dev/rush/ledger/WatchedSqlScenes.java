package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Scene;
import java.util.LinkedHashMap;
import java.util.Map;

/** The events of sales that open and close at their times, each as a scene. */
final class WatchedSqlScenes extends Watching {

    WatchedSqlScenes(TestJournal test) {
        super(test);
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("E1: a sale is watched from when it is loaded until it is over", this::watched);
        all.put("E1: a sale opens and closes at its times, with one event each, however often"
                + " it is checked", this::times);
        all.put("E1: a sale whose times have long passed has opened and closed", this::past);
        all.put("E1: a paused sale opens when it is resumed, and closes even while paused",
                this::paused);
        all.put("E1: an open sale that is rescheduled to open later opens again", this::moved);
        all.put("E1: an open sale that is rescheduled to open later, and back, opens again",
                this::movedBack);
        all.put("E1: no event overtakes a change that has not reached the ledger", this::onItsWay);
        all.put("E1: a sale that was closed by a caller is not closed again", this::closed);
        return all;
    }

    private void watched() {
        String sale = sale(0, FAR);
        assertThat(state(sale)).isEqualTo("f 0");
        reach(sale, 1);
        assertThat(state(sale)).isEqualTo("t " + FAR);
        set(sale, "paused = true");
        assertThat(state(sale)).isEqualTo("t 0");
        String prepared = test.id("sale");
        test.sql("INSERT INTO sales (sale, month, partitions, definition, state, returns_limit,"
                + " payment_window_ms, orders_per_user) VALUES ('" + prepared + "', "
                + TestJournal.MONTH + ", '{0}', '{}', 'preparing', true, 0, 20)");
        assertThat(state(prepared)).isNull();
        test.transact((connection, ledgerState) -> SaleRows.load(connection, prepared, "r"));
        assertThat(state(prepared)).isEqualTo("f 0");
        set(prepared, "closed_at_ms = 5");
        reach(prepared, 6);
        assertThat(state(prepared)).isNull();
        set(prepared, "state = 'retiring'");
        set(prepared, "state = 'loaded'");
        assertThat(state(prepared)).isNull();
    }

    private void times() {
        String sale = sale(1_000, 2_000);
        String other = sale(1_000, 2_000);
        reach(sale, 999);
        assertThat(changes(sale)).isNull();
        assertThat(state(sale)).isEqualTo("f 1000");
        reach(sale, 1_000);
        reach(sale, 1_000);
        reach(sale, 1_999);
        reach(sale, 999);
        assertThat(state(sale)).isEqualTo("t 2000");
        reach(sale, 1_998);
        assertThat(changes(sale)).isEqualTo("sale.opened 1000");
        assertThat(state(sale)).isEqualTo("t 2000");
        reach(sale, 2_000);
        reach(sale, 2_001);
        assertThat(changes(sale)).isEqualTo("sale.opened 1000, sale.closed 2000");
        assertThat(state(sale)).isNull();
        assertThat(changes(other)).isNull();
        String always = sale(0, 0);
        reach(always, 7);
        assertThat(changes(always)).isEqualTo("sale.opened");
        assertThat(state(always)).isEqualTo("t never");
        assertThat(isDue(always)).isFalse();
    }

    private void past() {
        String sale = sale(1_000, 2_000);
        sold(sale, 2, 2);
        reach(sale, FAR);
        assertThat(changes(sale)).isEqualTo("sale.opened 1000, sale.sold-out, sale.closed 2000");
    }

    private void paused() {
        String sale = sale(1_000, 3_000);
        String never = sale(1_000, 3_000);
        set(sale, "paused = true");
        set(never, "paused = true");
        reach(sale, 1_500);
        reach(never, 1_500);
        assertThat(changes(sale)).isNull();
        assertThat(state(sale)).isEqualTo("f 3000");
        set(sale, "paused = false");
        reach(sale, 2_000);
        set(sale, "paused = true");
        reach(sale, 2_500);
        reach(sale, 3_500);
        reach(never, 3_500);
        assertThat(changes(sale)).isEqualTo("sale.opened 1000, sale.closed 3000");
        assertThat(changes(never)).isEqualTo("sale.closed 3000");
    }

    private void moved() {
        String sale = sale(1_000, 0);
        reach(sale, 1_000);
        times(sale, 5_000, 6_000);
        reach(sale, 2_000);
        assertThat(state(sale)).isEqualTo("f 5000");
        assertThat(opened(true, sale)).isNull();
        times(sale, 3_000, 4_000);
        reach(sale, 2_500);
        reach(sale, 3_000);
        times(sale, 3_000, 7_000);
        reach(sale, 4_000);
        assertThat(changes(sale)).isEqualTo("sale.opened 1000, sale.opened 3000");
        reach(sale, 7_000);
        assertThat(changes(sale)).endsWith("3000, sale.closed 7000");
    }

    private void movedBack() {
        String sale = sale(1_000, 0);
        reach(sale, 1_000);
        times(sale, 5_000, 0);
        set(sale, "control = 1");
        reach(sale, 2_000);
        times(sale, 1_000, 0);
        set(sale, "control = 2");
        reach(sale, 2_500);
        reach(sale, 2_600);
        assertThat(changes(sale)).isEqualTo("sale.opened 1000, sale.opened 1000");
    }

    private void onItsWay() {
        String sale = sale(1_000, 0);
        reach(sale, 2_000, 1);
        assertThat(changes(sale)).isNull();
        assertThat(isDue(sale)).isTrue();
        set(sale, "control = 2");
        reach(sale, 2_000, 2);
        assertThat(changes(sale)).isEqualTo("sale.opened 1000");
    }

    private void closed() {
        String sale = sale(1_000, 2_000);
        reach(sale, 1_000);
        sold(sale, 2, 2);
        set(sale, "closed_at_ms = 1500");
        units(true, sale);
        reach(sale, 3_000);
        assertThat(changes(sale)).isEqualTo("sale.opened 1000");
        assertThat(state(sale)).isNull();
    }
}
