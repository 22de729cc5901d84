package dev.rush.ledger;

import dev.rush.ledger.sql.Sql;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Changes of sales and rains without a caller: they open and close at their times, and sell out.
 * Each is recorded in the audit once, with an id derived from the change, in the transaction that
 * stores the new state of the sale or rain. So it is a single event, whichever pod records it and
 * however often. Each method works in the caller's transaction.
 */
public final class WatchedOffers {

    private static final Actor ACTOR = Actor.service("watch");
    private static final Sql DUE = Sql.named("watched-due", """
            SELECT is_sale, offer FROM watched
            WHERE due_at_ms <= (extract(epoch FROM now()) * 1000)::bigint
            ORDER BY due_at_ms LIMIT ?""");
    private static final Sql POSTPONE = Sql.named("watch-later", """
            UPDATE watched SET due_at_ms = (extract(epoch FROM now()) * 1000)::bigint + ?
            WHERE is_sale = ? AND offer = ?""");
    /** A title with these words contains them with a backslash. */
    private static final String TERMS = """
            SELECT w.opened, w.sold_out, w.times, w.reached_ms,
                COALESCE(substring(it.definition FROM '"%1$s":([0-9]+)')::bigint, 0),
                it.ends_at_ms, it.closed_at_ms, it.paused, it.state, it.control
            FROM %2$ss it JOIN watched w ON w.offer = it.%2$s AND w.is_sale = %3$s
            WHERE it.%2$s = ? FOR NO KEY UPDATE""";
    private static final Sql SALE =
            Sql.named("watched-sale", TERMS.formatted("opensAt", "sale", "true"));
    private static final Sql RAIN =
            Sql.named("watched-rain", TERMS.formatted("startsAt", "rain", "false"));
    private static final Sql MOVE = Sql.named("move-watched", """
            UPDATE watched SET opened = ?, reached_ms = ?, due_at_ms = ?
            WHERE is_sale = ? AND offer = ?""");
    private static final Sql END = Sql.named("end-watched",
            "DELETE FROM watched WHERE is_sale = ? AND offer = ?");
    private static final Sql SELL_OUT = Sql.named("sell-out-watched", """
            UPDATE watched SET sold_out = ?, times = ? WHERE is_sale = ? AND offer = ?""");
    private static final String OPENED = "SELECT w.offer, w.sold_out, u.is_sold_out FROM ("
            + "SELECT offer, sold_out FROM watched WHERE is_sale = %1$s AND opened AND offer > ?"
            + " ORDER BY offer LIMIT ?) w CROSS JOIN LATERAL (";
    private static final String SOLD = "SELECT COALESCE(bool_and(sold >= total), false)"
            + " AS is_sold_out FROM items WHERE sale = ";
    private static final String GRANTED =
            "SELECT granted >= envelopes AS is_sold_out FROM rains WHERE rain = ";
    private static final Sql OPENED_SALES = Sql.named("opened-sales",
            OPENED.formatted("true") + SOLD + "w.offer) u ORDER BY w.offer");
    private static final Sql OPENED_RAINS = Sql.named("opened-rains",
            OPENED.formatted("false") + GRANTED + "w.offer) u ORDER BY w.offer");
    private static final Sql SALE_SOLD = Sql.named("is-sale-sold-out", SOLD + "?");
    private static final Sql RAIN_GRANTED = Sql.named("is-rain-emptied", GRANTED + "?");

    private WatchedOffers() {
    }

    /** A sale or rain that may be due to open or close. */
    public record Due(boolean isSale, String id) {
    }

    /**
     * An open sale or rain, and whether it has sold out or become available since the last check.
     */
    public record Opened(String id, boolean hasChanged) {
    }

    private record Terms(boolean opened, boolean soldOut, long times, long reachedMs,
            long opensAtMs, long endsAtMs, long closedAtMs, boolean paused, boolean retired,
            long control) {

        private static Terms of(ResultSet row) throws SQLException {
            return new Terms(row.getBoolean(1), row.getBoolean(2), row.getLong(3),
                    row.getLong(4), row.getLong(5), row.getLong(6), row.getLong(7),
                    row.getBoolean(8), OfferState.of(row.getString(9)).isRetired(),
                    row.getLong(10));
        }

        private boolean isOver(long nowMs) {
            return endsAtMs > 0 && nowMs >= endsAtMs || retired;
        }

        private boolean opensBy(long nowMs) {
            return !paused && nowMs >= opensAtMs;
        }

        /** The next time at which something happens; null if never. */
        private @Nullable Long next(boolean isOpen) {
            return !isOpen && !paused ? (Long) opensAtMs : endsAtMs > 0 ? endsAtMs : null;
        }
    }

    /** Sales and rains that may be due to open or close, by PostgreSQL's clock, oldest first. */
    public static List<Due> due(Connection connection, int max) throws SQLException {
        return DUE.list(connection, row -> new Due(row.getBoolean(1), row.getString(2)), max);
    }

    /**
     * Records the changes caused by the times of a sale or rain up to an instant, in order.
     *
     * @param nowMs by Redis's clock; all changes up to then are in the ledger
     */
    public static void reach(Connection connection, LedgerState ledgerState, boolean isSale,
            String offer, long nowMs) throws SQLException {
        reach(connection, ledgerState, isSale, offer, nowMs, 0);
    }

    /**
     * Does the same, unless the ledger does not have the latest change in Redis yet.
     *
     * @param version of the latest change in Redis
     * @return false if the sale or rain must be checked again
     */
    public static boolean reach(Connection connection, LedgerState ledgerState, boolean isSale,
            String offer, long nowMs, long version) throws SQLException {
        Terms terms = terms(connection, isSale, offer);
        if (terms == null) {
            return true;
        }
        if (version > terms.control) {
            return false;
        }
        if (terms.closedAtMs > 0) {
            END.update(connection, isSale, offer);
            return true;
        }
        if (nowMs < terms.reachedMs) {
            // The change was delivered again, or this master's clock is behind another's.
            return false;
        }
        Recorder recorder = new Recorder(connection, ledgerState, isSale, offer);
        boolean isOpen = terms.opened && nowMs >= terms.opensAtMs;
        if (!isOpen && terms.opensBy(nowMs)) {
            recorder.opened(terms);
            isOpen = true;
        }
        if (terms.isOver(nowMs)) {
            if (isOpen) {
                recorder.units(terms);
            }
            recorder.closed(terms.endsAtMs);
            END.update(connection, isSale, offer);
        } else {
            MOVE.update(connection, isOpen, nowMs, terms.next(isOpen), isSale, offer);
        }
        return true;
    }

    /** Postpones the next check of a sale or rain, so that it does not delay others. */
    public static void postpone(Connection connection, Due due, long againMs) throws SQLException {
        POSTPONE.update(connection, againMs, due.isSale, due.id);
    }

    /**
     * Handles a sale or rain that Redis does not have (yet), or that cannot be read: if only the
     * ledger has it, it is over; otherwise it is checked again later.
     */
    public static void absent(Connection connection, LedgerState ledgerState, Due due, long againMs)
            throws SQLException {
        Terms terms = terms(connection, due.isSale, due.id);
        if (terms == null) {
            // It was never loaded, or is gone, so it has no events.
            END.update(connection, due.isSale, due.id);
        } else if (terms.retired || terms.closedAtMs > 0) {
            reach(connection, ledgerState, due.isSale, due.id,
                    Math.max(terms.reachedMs, terms.endsAtMs));
        } else {
            postpone(connection, due, againMs);
        }
    }

    /** A page of open sales or rains, ordered by id, after a given one. */
    public static List<Opened> opened(Connection connection, boolean isSale, String after,
            int max) throws SQLException {
        return (isSale ? OPENED_SALES : OPENED_RAINS).list(connection, row -> new Opened(
                row.getString(1), row.getBoolean(2) != row.getBoolean(3)), after, max);
    }

    /** Records whether an open sale or rain has anything left. */
    public static void units(Connection connection, LedgerState ledgerState, boolean isSale,
            String offer) throws SQLException {
        Terms terms = terms(connection, isSale, offer);
        if (terms != null && terms.opened && terms.closedAtMs == 0) {
            new Recorder(connection, ledgerState, isSale, offer).units(terms);
        }
    }

    private static @Nullable Terms terms(Connection connection, boolean isSale, String offer)
            throws SQLException {
        return (isSale ? SALE : RAIN).first(connection, Terms::of, offer);
    }

    private record Recorder(Connection connection, LedgerState ledgerState, boolean isSale,
            String offer) {

        /**
         * Identified by the version of its terms too, because a sale that is moved and moved back
         * opens twice at the same time.
         */
        private void opened(Terms terms) throws SQLException {
            insert("opened", terms.opensAtMs + " " + terms.control,
                    terms.opensAtMs > 0 ? (Long) terms.opensAtMs : null);
        }

        private void closed(long endsAtMs) throws SQLException {
            insert("closed", Long.toString(endsAtMs), endsAtMs);
        }

        private void units(Terms terms) throws SQLException {
            boolean isSoldOut = (isSale ? SALE_SOLD : RAIN_GRANTED).one(connection,
                    row -> row.getBoolean(1), offer);
            if (isSoldOut == terms.soldOut) {
                return;
            }
            long times = terms.times + (isSoldOut ? 1 : 0);
            if (isSoldOut) {
                insert(isSale ? "sold-out" : "emptied", Long.toString(times), null);
            }
            SELL_OUT.update(connection, isSoldOut, times, isSale, offer);
        }

        private void insert(String kind, String which, @Nullable Object after) throws SQLException {
            String action = (isSale ? "sale." : "rain.") + kind;
            UUID id = UUID.nameUUIDFromBytes((action + " " + offer + " " + which)
                    .getBytes(StandardCharsets.UTF_8));
            AuditRows.insert(connection, ledgerState, id, ACTOR, action, offer, null, after, null);
        }
    }
}
