package dev.rush.bench.growth;

import dev.rush.ledger.sql.SqlArray;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Samples of the statements for sales, rains and leases. */
final class OfferSamples {
    private static final String SALE = History.saleName(0);
    private static final String RAIN = "rain-0";
    private static final String ME = "pod";
    private static final long LEASE_MS = 3_000;
    private static final int LIMIT = 5;
    private static final long YEAR_9999 = 253_402_300_799_000L;

    private OfferSamples() {
    }

    static List<Sample> of() {
        List<Sample> samples = new ArrayList<>();
        sales(samples);
        rains(samples);
        refilled(samples);
        offers(samples);
        watched(samples);
        leases(samples);
        return samples;
    }

    private static void sales(List<Sample> samples) {
        SqlArray one = SqlArray.longs(List.of(1L), units -> units);
        samples.add(new Sample("prepare-sale", Frequency.CALL, "sale",
                SqlArray.integers(List.of(0)), "{}", true, 0L, 20L, 0L));
        samples.add(new Sample("insert-items", Frequency.CALL, SALE,
                SqlArray.texts(List.of("cherry")), one, one));
        samples.add(new Sample("prepared-sale", Frequency.CALL, SALE));
        samples.add(new Sample("load-prepared-sale", Frequency.CALL, "epoch", SALE));
        samples.add(new Sample("release-of-sale", Frequency.CALL, SALE));
        samples.add(new Sample("begin-total", Frequency.CALL, 1L, SALE, "apple", 1L));
        samples.add(new Sample("end-total", Frequency.CALL, 1L, 1L, SALE, "apple", 0L, 1L));
        samples.add(new Sample("apply-control-of-sale", Frequency.CALL, true, 0L, 1L, SALE, 1L));
        samples.add(new Sample("reschedule-sale", Frequency.CALL, "{}", 0L, 1L, SALE, 1L));
        samples.add(new Sample("kept-sales", Frequency.CALL, SqlArray.texts(List.of(SALE))));
        samples.add(new Sample("kept-items", Frequency.CALL, SqlArray.texts(List.of(SALE))));
    }

    private static void rains(List<Sample> samples) {
        samples.add(new Sample("prepare-rain", Frequency.CALL, "rain", 0, "{}", 1L, 1L, 1L, 0L));
        samples.add(new Sample("prepared-rain", Frequency.CALL, RAIN));
        samples.add(new Sample("load-prepared-rain", Frequency.CALL, "epoch", RAIN));
        samples.add(new Sample("release-of-rain", Frequency.CALL, RAIN));
        samples.add(new Sample("apply-control-of-rain", Frequency.CALL, true, 0L, 1L, RAIN, 1L));
        samples.add(new Sample("kept-rains", Frequency.CALL, SqlArray.texts(List.of(RAIN))));
        samples.add(new Sample("one-rain", Frequency.CALL, RAIN));
        // The first grab of each ten was refused.
        samples.add(new Sample("grabs-of-taker", Frequency.CALL, History.MONTHS[0], RAIN,
                History.user(History.RAINS)));
        samples.add(new Sample("rejected-grabs-of-taker", Frequency.CALL, History.MONTHS[0],
                RAIN, History.user(0)));
        samples.add(new Sample("grab-of-key", Frequency.CALL, History.MONTHS[0], RAIN,
                History.user(History.RAINS), "key"));
        samples.add(new Sample("grab-without-key", Frequency.CALL, History.MONTHS[0], RAIN,
                History.user(History.RAINS), History.grabId(History.RAINS)));
    }

    private static void refilled(List<Sample> samples) {
        SqlArray one = SqlArray.longs(List.of(1L), units -> units);
        samples.add(new Sample("sales-unknown", Frequency.CHECK, SqlArray.texts(List.of(SALE))));
        samples.add(new Sample("rains-unknown", Frequency.CHECK, SqlArray.texts(List.of(RAIN))));
        samples.add(new Sample("refill-sale", Frequency.CHECK, "lost", History.MONTHS[0],
                SqlArray.integers(List.of(0)), "{}", "epoch", true, 0L, 20L, 0L, false, 0L, 0L,
                1L, 1L));
        samples.add(new Sample("forget-items", Frequency.CHECK, "lost"));
        samples.add(new Sample("refill-items", Frequency.CHECK, SALE,
                SqlArray.texts(List.of("cherry")), one, one, one));
        samples.add(new Sample("refill-rain", Frequency.CHECK, "lost", History.MONTHS[0], 0, "{}",
                "epoch", 1L, 1L, 1L, 0L, false, 0L, 0L, 1L, 1L));
        samples.add(new Sample("ensure-month", Frequency.CHECK, History.MONTHS[0]));
    }

    private static void offers(List<Sample> samples) {
        String never = Long.toString(Long.MAX_VALUE);
        samples.add(new Sample("snapshot-xmin", Frequency.SECOND));
        samples.add(new Sample("open-offers", Frequency.CHECK));
        samples.add(new Sample("changed-offers", Frequency.SECOND, never, never));
        samples.add(new Sample("retired-offers", Frequency.CHECK, LIMIT, LIMIT));
        samples.add(new Sample("retired-sales-by-time", Frequency.CALL, YEAR_9999, LIMIT));
        samples.add(new Sample("retired-rains-by-time", Frequency.CALL, YEAR_9999, LIMIT));
        samples.add(new Sample("one-sale", Frequency.CALL, SALE));
        samples.add(new Sample("ensure-months", Frequency.CALL, 1));
        samples.add(new Sample("live-months", Frequency.CHECK));
        samples.add(new Sample("kept-months", Frequency.CALL));
    }

    private static void watched(List<Sample> samples) {
        samples.add(new Sample("watched-due", Frequency.SECOND, LIMIT));
        samples.add(new Sample("watched-sale", Frequency.CALL, SALE));
        samples.add(new Sample("watched-rain", Frequency.CALL, RAIN));
        samples.add(new Sample("watch-later", Frequency.CALL, LEASE_MS, true, SALE));
        samples.add(new Sample("move-watched", Frequency.CALL, true, 1L, 1L, true, SALE));
        samples.add(new Sample("end-watched", Frequency.CALL, true, SALE));
        samples.add(new Sample("sell-out-watched", Frequency.CALL, true, 1L, true, SALE));
        samples.add(new Sample("opened-sales", Frequency.SECOND, "", LIMIT));
        samples.add(new Sample("opened-rains", Frequency.SECOND, "", LIMIT));
        samples.add(new Sample("is-sale-sold-out", Frequency.CALL, SALE));
        samples.add(new Sample("is-rain-emptied", Frequency.CALL, RAIN));
    }

    private static void leases(List<Sample> samples) {
        SqlArray none = SqlArray.integers(List.of());
        samples.add(new Sample("create-partitions", Frequency.CHECK, History.PARTITIONS));
        samples.add(new Sample("enter-writer", Frequency.SECOND, UUID.randomUUID().toString(),
                LEASE_MS));
        samples.add(new Sample("forget-writers", Frequency.SECOND));
        samples.add(new Sample("living-writers", Frequency.SECOND));
        samples.add(new Sample("renew-leases", Frequency.SECOND, LEASE_MS, ""));
        samples.add(new Sample("take-partitions", Frequency.SECOND, 0L, History.PARTITIONS, none,
                LIMIT, ME, LEASE_MS));
        samples.add(new Sample("give-up-partitions", Frequency.SECOND, "",
                SqlArray.integers(List.of(0, 1))));
        samples.add(new Sample("release-partitions", Frequency.CHECK, ME));
        samples.add(new Sample("remove-writer", Frequency.CHECK, ME));
    }
}
