package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Scene;
import java.util.Map;

/** The promise of the SQL that reschedules a sale, as a scene. */
final class ScheduleSqlScenes {

    private final TestJournal test;

    ScheduleSqlScenes(TestJournal test) {
        this.test = test;
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        return Map.of("P11: other times are taken over once, and none over later ones",
                this::rescheduled);
    }

    private String reschedule(String sale, long version, String definition, long endsAt) {
        return test.transact((connection, ledgerState) ->
                SaleRows.reschedule(connection, sale, version, definition, endsAt));
    }

    private void rescheduled() {
        String sale = test.sale("a:1:0");
        String other = test.sale("a:1:0");
        String before = test.sql("SELECT definition FROM sales WHERE sale = '" + sale + "'");
        String changed = test.sql("SELECT changed FROM sales WHERE sale = '" + sale + "'");
        assertThat(reschedule(sale, 20, "{\"title\":1}", 7)).isEqualTo(before);
        assertThat(reschedule(sale, 20, "{\"title\":2}", 8)).isNull();
        assertThat(reschedule(sale, 19, "{\"title\":2}", 8)).isNull();
        assertThat(reschedule(sale, 21, "{\"title\":3}", 0)).isEqualTo("{\"title\":1}");
        assertThat(test.sql("SELECT concat_ws(' ', definition, ends_at_ms, control, changed::text"
                + " > '" + changed + "') FROM sales WHERE sale = '" + sale + "'"))
                .isEqualTo("{\"title\":3} 0 21 t");
        assertThat(test.sql("SELECT definition FROM sales WHERE sale = '" + other + "'"))
                .isEqualTo(before);
    }
}
