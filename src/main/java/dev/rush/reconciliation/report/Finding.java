package dev.rush.reconciliation.report;

import java.util.HashMap;
import java.util.Map;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The finding of a round of book checks for a sale or rain.
 *
 * @param state   changes when either store has changed
 * @param drift   units or envelopes, by item
 * @param alarmed the part that the previous round had found too
 * @param rounds  number of rounds since it was last evaluated
 */
record Finding(Object state, Map<String, Long> drift, Map<String, Long> alarmed, long oversold,
        int[] rounds) {

    private static final Logger LOG = Logger.getLogger(Finding.class);
    /** Rounds after which an unchanged finding is evaluated again. */
    private static final int ROUNDS_MAX = 2;

    /** Whether a clean finding need not be evaluated again; called once per round. */
    boolean isStillValid(Object stateNow) {
        boolean clean = drift.values().stream().allMatch(units -> units == 0);
        return clean && state.equals(stateNow) && rounds[0]++ < ROUNDS_MAX;
    }

    long alarmedUnits() {
        return alarmed.values().stream().mapToLong(Math::abs).sum();
    }

    static Finding ofSale(String name, @Nullable Finding last, Object state,
            Books.Reckoning reckoning) {
        SaleBooks found = reckoning.books();
        boolean gone = found.verdict() == Verdict.NOT_LOADED;
        Map<String, Long> drift = new HashMap<>();
        long oversold = 0;
        for (SaleBooks.Item item : found.items()) {
            long units = item.drift() != 0 ? item.drift()
                    : item.ledgerTotal() != item.total() ? item.ledgerTotal() - item.total()
                    : reckoning.known().ownDrift(item.sku());
            drift.put(item.sku(), gone ? Math.min(-1, units) : units);
            oversold += gone ? 0 : item.oversold();
        }
        return judged(name, last, state, drift, oversold, found);
    }

    static Finding ofRain(String name, @Nullable Finding last, RainBooks.View found) {
        boolean gone = found.verdict() == Verdict.NOT_LOADED;
        long drift = gone ? Math.min(-1, found.drift())
                : found.drift() != 0 ? found.drift()
                : found.verdict() == Verdict.BALANCED ? 0
                : found.verdict() == Verdict.OVERSOLD ? -1 : 1;
        return judged(name, last, found, Map.of("envelopes", drift),
                gone ? 0 : Math.max(0, -drift), found);
    }

    /** A drift raises the alarm if it was on the same side in the previous round. */
    private static Finding judged(String name, @Nullable Finding last, Object state,
            Map<String, Long> drift, long oversold, Object evidence) {
        Map<String, Long> alarmed = new HashMap<>();
        drift.forEach((part, units) -> {
            long earlier = last == null ? 0 : last.drift.getOrDefault(part, 0L);
            if (units != 0 && Long.signum(units) == Long.signum(earlier)) {
                alarmed.put(part, Math.abs(units) < Math.abs(earlier) ? units : earlier);
            }
        });
        if (last != null && !alarmed.isEmpty() && !alarmed.equals(last.alarmed)) {
            LOG.errorf("The books of %s do not balance: %s. %s", name, alarmed, evidence);
        } else if (alarmed.isEmpty() && last != null && !last.alarmed.isEmpty()) {
            LOG.infof("The books of %s balance again", name);
        }
        return new Finding(state, drift, alarmed, alarmed.isEmpty() ? 0 : oversold, new int[1]);
    }
}
