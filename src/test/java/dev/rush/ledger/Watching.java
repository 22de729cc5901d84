package dev.rush.ledger;

import dev.rush.ledger.WatchedOffers.Due;
import dev.rush.ledger.WatchedOffers.Opened;
import java.util.List;

/** Watched sales of a journal, and their events. */
class Watching {

    static final long FAR = 4_102_444_800_000L;
    static final int ALL = 10_000;

    final TestJournal test;

    Watching(TestJournal test) {
        this.test = test;
    }

    /** A loaded sale with two items of two units each; 0 stands for no time. */
    final String sale(long opensAt, long closesAt) {
        String sale = test.sale("a:2:0", "b:2:0");
        times(sale, opensAt, closesAt);
        return sale;
    }

    final void times(String sale, long opensAt, long closesAt) {
        test.sql(("UPDATE sales SET definition = '{\"title\":\"\\\"opensAt\\\":7\",\"opensAt\":%d,"
                + "\"closesAt\":%d}', ends_at_ms = %d WHERE sale = '%s'")
                        .formatted(opensAt, closesAt, closesAt, sale));
    }

    final void set(String sale, String assignment) {
        test.sql("UPDATE sales SET " + assignment + " WHERE sale = '" + sale + "'");
    }

    final void reach(String sale, long nowMs) {
        reach(sale, nowMs, 0);
    }

    final void reach(String sale, long nowMs, long version) {
        test.transact((connection, ledgerState) -> {
            WatchedOffers.reach(connection, ledgerState, true, sale, nowMs, version);
            return null;
        });
    }

    final void units(boolean isSale, String offer) {
        test.transact((connection, ledgerState) -> {
            WatchedOffers.units(connection, ledgerState, isSale, offer);
            return null;
        });
    }

    final void sold(String sale, int a, int b) {
        test.sql("UPDATE items SET sold = CASE sku WHEN 'a' THEN " + a + " ELSE " + b
                + " END WHERE sale = '" + sale + "'");
    }

    final String changes(String offer) {
        return test.sql("SELECT string_agg(concat_ws(' ', action, after), ', ' ORDER BY xact,"
                + " place) FROM audit WHERE actor = 'service:watch' AND subject = '" + offer
                + "'");
    }

    final String state(String offer) {
        return test.sql("SELECT concat_ws(' ', opened, COALESCE(due_at_ms::text, 'never'))"
                + " FROM watched WHERE offer = '" + offer + "'");
    }

    final List<Due> due(int max) {
        return test.transact((connection, ledgerState) -> WatchedOffers.due(connection, max));
    }

    final boolean isDue(String offer) {
        return due(ALL).contains(new Due(true, offer));
    }

    final Opened opened(boolean isSale, String offer) {
        return test.<List<Opened>>transact((connection, ledgerState) ->
                WatchedOffers.opened(connection, isSale, "", ALL)).stream()
                .filter(one -> one.id().equals(offer)).findFirst().orElse(null);
    }
}
