package dev.rush.ledger;

import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes of the ledger, by position. A reader stops below the oldest open transaction, so that
 * it misses none that commits later. It goes on to the next epoch when that is a minute old, which
 * is longer than any transaction lasts.
 */
public final class Journal {

    /** Rows read per requested row, because buyers' own steps are skipped. */
    private static final int READ_PER_WANTED = 5;
    private static final String EVERY_TRANSACTION = "18446744073709551615";
    private static final Sql BOUND = Sql.named("journal-bound", """
            SELECT epoch > ? AND checked_at < now() - interval '1 minute',
                pg_snapshot_xmin(pg_current_snapshot())::text, epoch FROM ledger""");
    private static final Sql BEYOND = Sql.named("is-beyond",
            "SELECT ?::xid8 >= pg_snapshot_xmax(pg_current_snapshot())");
    /** Without statistics about transaction ids, the planner would sort everything. */
    private static final String BY_INDEX = "SET LOCAL enable_sort = off";
    private static final Sql AUDIT = Sql.named("audit-page", BY_INDEX, """
            SELECT xact::text, place, at, actor, action, subject, before, after, cause FROM audit
            WHERE epoch = ? AND (xact, place) > (?::xid8, ?) AND xact < ?::xid8
            ORDER BY audit.xact, audit.place LIMIT ?""");
    private static final Sql STEPS = Sql.named("steps-page", BY_INDEX, """
            SELECT s.xact::text, s.place, s.at, s.actor, s.kind, s.sale || '/' || s.order_id,
                CASE WHEN s.kind = 'expired' OR s.kind = 'confirmed' THEN 'reserved'
                    WHEN s.kind <> 'returned' THEN NULL
                    WHEN s.step = 1 AND (SELECT o.pay_by_ms > 0 FROM orders o
                        WHERE o.month = ANY (?) AND o.month = s.month AND o.id = s.order_id)
                    THEN 'reserved' ELSE 'confirmed' END, s.cause
            FROM steps s WHERE s.month = ANY (?) AND s.epoch = ?
                AND (s.xact, s.place) > (?::xid8, ?) AND s.xact < ?::xid8
            ORDER BY s.xact, s.place LIMIT ?""");

    private Journal() {
    }

    /**
     * A change.
     *
     * @param before JSON, or null
     * @param after  JSON, or null
     * @param cause  as stated by the actor, or null
     */
    public record Change(Position position, Instant at, Actor actor, String action,
            String subject, @Nullable String before, @Nullable String after,
            @Nullable String cause) {
    }

    /**
     * A page of changes, which may be short or even empty.
     *
     * @param next cursor of the next page; null if there is nothing more for now
     */
    public record Page(List<Change> changes, @Nullable Position next) {
    }

    /**
     * How far an epoch may be read.
     *
     * @param below  the transaction, as text, before which a reader stops
     * @param isOver whether the epoch is complete, so that the reader goes on to the next one
     * @param newest the current epoch
     */
    public record Bound(String below, boolean isOver, int newest) {
    }

    /** How far an epoch may be read now. */
    public static Bound bound(Connection connection, int epoch) throws SQLException {
        return BOUND.one(connection, row -> {
            // An earlier epoch may have been that of another cluster, with higher transaction ids.
            boolean isOver = row.getBoolean(1);
            return new Bound(isOver ? EVERY_TRANSACTION : row.getString(2), isOver,
                    row.getInt(3));
        }, epoch);
    }

    /**
     * Whether this ledger has not reached a position yet, so that the holder of the position has
     * read changes that a restore undid.
     *
     * @throws LedgerFailure while this PostgreSQL process is not checked: a standby that was
     *                       promoted may be behind positions of the epoch that ends with it
     */
    public static boolean isBeyond(Connection connection, LedgerState ledgerState,
            Position position)
            throws SQLException {
        if (position.epoch() < ledgerState.epoch()) {
            return false;
        }
        if (!ledgerState.checked()) {
            throw LedgerFailure.unchecked();
        }
        return position.epoch() > ledgerState.epoch() || BEYOND.one(connection,
                row -> row.getBoolean(1), Long.toString(position.xact()));
    }

    /**
     * Changes by operators, payers and the service itself after a position.
     *
     * @param limit maximum number of changes
     */
    public static Page audit(Connection connection, Position after, int limit)
            throws SQLException {
        Bound bound = bound(connection, after.epoch());
        String below = bound.below;
        String xact = Long.toString(after.xact());
        List<Change> found = new ArrayList<>();
        Position end = null;
        int max = READ_PER_WANTED * limit;
        SqlArray months = SqlArray.integers(Months.kept(connection));
        for (List<Change> read : List.of(
                AUDIT.list(connection, row -> audited(after.epoch(), row), after.epoch(), xact,
                        after.place(), below, max),
                STEPS.list(connection, row -> step(after.epoch(), row), months, months,
                        after.epoch(), xact, after.place(), below, max))) {
            found.addAll(read);
            if (read.size() == max) {
                // There is more after this that was not read.
                Position last = read.get(max - 1).position;
                end = end == null || last.compareTo(end) < 0 ? last : end;
            }
        }
        found.sort(Comparator.comparing(Change::position));
        Page page = page(found, end, limit);
        return page.next == null && bound.isOver
                ? new Page(page.changes, new Position(after.epoch() + 1, 0, 0)) : page;
    }

    private static Page page(List<Change> found, @Nullable Position end, int limit) {
        List<Change> changes = new ArrayList<>();
        Position next = null;
        for (Change change : found) {
            boolean isUnsure = end != null && change.position.compareTo(end) > 0;
            if (isUnsure || changes.size() == limit) {
                break;
            }
            next = change.position;
            if (!change.actor.isBuyer()) {
                changes.add(change);
            }
        }
        return new Page(changes, next);
    }

    private static Change audited(int epoch, ResultSet row) throws SQLException {
        return new Change(position(epoch, row), row.getTimestamp(3).toInstant(),
                new Actor(row.getString(4)), row.getString(5), row.getString(6),
                row.getString(7), row.getString(8), row.getString(9));
    }

    private static Change step(int epoch, ResultSet row) throws SQLException {
        StepKind kind = StepKind.of(row.getString(5));
        return new Change(position(epoch, row), row.getTimestamp(3).toInstant(),
                new Actor(row.getString(4)), "order." + kind.text(), row.getString(6),
                quoted(row.getString(7)),
                kind.status() == null ? null : quoted(kind.status().text()), row.getString(8));
    }

    private static Position position(int epoch, ResultSet row) throws SQLException {
        return new Position(epoch, Long.parseLong(row.getString(1)), row.getLong(2));
    }

    private static @Nullable String quoted(String status) {
        return status == null ? null : '"' + status + '"';
    }
}
