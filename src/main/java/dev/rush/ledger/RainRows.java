package dev.rush.ledger;

import dev.rush.ledger.SaleRows.Entry;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rows of rains, in the caller's transaction. Amounts are in the currency's smallest unit. */
public final class RainRows {

    private static final Sql PREPARE = Sql.named("prepare-rain", """
            INSERT INTO rains (rain, month, partition, definition, state, envelopes, amount,
                limit_per_user, ends_at_ms)
            VALUES (?, month_of(now()), ?, ?, 'preparing', ?, ?, ?, ?) ON CONFLICT DO NOTHING""");
    private static final Sql FIND = Sql.named("prepared-rain",
            "SELECT definition, state, release, month FROM rains WHERE rain = ?");
    private static final Sql LOAD = Sql.named("load-prepared-rain", """
            UPDATE rains SET state = 'loaded', release = ?, loaded_at = now(),
                changed = pg_current_xact_id()
            WHERE rain = ? AND state = 'preparing'""");
    private static final Sql RELEASE = Sql.named("release-of-rain",
            "SELECT release FROM rains WHERE rain = ?");
    private static final Sql APPLY_CONTROL = Sql.named("apply-control-of-rain", """
            UPDATE rains SET paused = COALESCE(?, paused),
                closed_at_ms = COALESCE(?, closed_at_ms), control = ?,
                changed = pg_current_xact_id()
            WHERE rain = ? AND control < ?""");
    /** OFFSET keeps the planner from reading all rains ever. */
    private static final Sql KEPT = Sql.named("kept-rains", """
            SELECT r.rain, r.definition, r.closed_at_ms, r.granted, r.granted_amount
            FROM unnest(?::text[]) AS wanted (rain)
            JOIN LATERAL (SELECT * FROM rains r WHERE r.rain = wanted.rain OFFSET 0) r ON true""");

    private RainRows() {
    }

    /**
     * A rain as it is prepared.
     *
     * @param definition JSON
     * @param endsAtMs   0 if it is open until it is closed
     */
    public record Terms(String rain, int partition, String definition, long envelopes,
            long amount, long limitPerUser, long endsAtMs) {
    }

    /** Stores a rain, in the current month, unless it exists; returns the stored one. */
    public static Entry prepare(Connection connection, Terms terms) throws SQLException {
        Months.ensure(connection);
        boolean fresh = PREPARE.update(connection, terms.rain, terms.partition, terms.definition,
                terms.envelopes, terms.amount, terms.limitPerUser, terms.endsAtMs) == 1;
        return FIND.one(connection, row -> new Entry(fresh,
                terms.definition.equals(row.getString(1)), OfferState.of(row.getString(2)),
                row.getString(3), row.getInt(4)), terms.rain);
    }

    /** As {@link SaleRows#load}: which loading may be released. */
    public static String load(Connection connection, String rain, String release)
            throws SQLException {
        LOAD.update(connection, release, rain);
        return RELEASE.one(connection, row -> row.getString(1), rain);
    }

    /** As {@link SaleRows#applyControl}. */
    public static boolean applyControl(Connection connection, String rain, long version,
            @Nullable Boolean paused, @Nullable Long closedAtMs) throws SQLException {
        return APPLY_CONTROL.update(connection, paused, closedAtMs, version, rain, version) == 1;
    }

    /** The ledger's data of a rain, whether it is in Redis or not. */
    public record Kept(String definition, long closedAtMs, long granted, long grantedAmount) {
    }

    /** The ledger's data of those of these rains that it has. */
    public static Map<String, Kept> kept(Connection connection, Collection<String> rains)
            throws SQLException {
        Map<String, Kept> kept = new HashMap<>();
        KEPT.each(connection, row -> kept.put(row.getString(1), new Kept(row.getString(2),
                row.getLong(3), row.getLong(4), row.getLong(5))), SqlArray.texts(rains));
        return kept;
    }
}
