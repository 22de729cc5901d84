package dev.rush.offer;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.rush.RushConfig;
import dev.rush.http.OutcomeCode;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts the outcomes of each sale's purchases and each rain's grabs on this pod since it started,
 * by code. If there are too many sales or rains, the least requested are dropped. Thread-safe for
 * any number of writers and one reader.
 */
@Singleton
public class OutcomeTally {

    private final Tallies sales;
    private final Tallies rains;

    private static final class Tally {

        private final AtomicLongArray counts = new AtomicLongArray(OutcomeCode.values().length);
        /** When a reader last saw a new sum, and that sum. */
        private long changedNanos = System.nanoTime();
        private long seen;

        private long changed(long now) {
            long sum = 0;
            for (int i = 0; i < counts.length(); i++) {
                sum += counts.get(i);
            }
            if (sum != seen) {
                seen = sum;
                changedNanos = now;
            }
            return changedNanos - now;
        }

        private Map<String, Long> codes() {
            Map<String, Long> codes = new LinkedHashMap<>();
            for (OutcomeCode code : OutcomeCode.values()) {
                long count = counts.get(code.ordinal());
                if (count > 0) {
                    codes.put(code.text(), count);
                }
            }
            return codes;
        }
    }

    /** The tallies of sales, or of rains, which have separate ids. */
    public static final class Tallies {

        private final Cache<String, Tally> tallies;

        private Tallies(long max) {
            tallies = Caffeine.newBuilder().maximumSize(max).build();
        }

        /** Counts one outcome. */
        public void count(String id, OutcomeCode code) {
            tallies.get(id, created -> new Tally()).counts.incrementAndGet(code.ordinal());
        }

        /** The codes of the most recently requested ones, up to a maximum, each with its count. */
        public Map<String, Map<String, Long>> latest(int max) {
            long now = System.nanoTime();
            Map<String, Long> changed = new LinkedHashMap<>();
            tallies.asMap().forEach((id, tally) -> changed.put(id, tally.changed(now)));
            Map<String, Map<String, Long>> latest = new LinkedHashMap<>();
            changed.entrySet().stream()
                    .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                    .limit(max).map(Map.Entry::getKey).forEach(id -> {
                        Tally tally = tallies.getIfPresent(id);
                        if (tally != null) {
                            latest.put(id, tally.codes());
                        }
                    });
            return latest;
        }
    }

    /** Creates empty tallies. */
    @Inject
    public OutcomeTally(RushConfig config) {
        sales = new Tallies(config.view().entries());
        rains = new Tallies(config.view().entries());
    }

    /** The tallies of purchases. */
    public Tallies sales() {
        return sales;
    }

    /** The tallies of grabs. */
    public Tallies rains() {
        return rains;
    }
}
