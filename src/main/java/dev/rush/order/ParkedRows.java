package dev.rush.order;

import dev.rush.ledger.Actor;
import dev.rush.ledger.LedgerState;
import dev.rush.ledger.Order;
import dev.rush.ledger.OrderRows;
import dev.rush.ledger.sql.Sql;
import dev.rush.order.ReturnLookups.Found;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Parked returns, as rows of the ledger. The audit names a return by its sale and order, or only by
 * its sale if the order is unknown, so that it names no buyer.
 */
final class ParkedRows {

    private static final Sql CLAIM = Sql.named("claim-returns", """
            UPDATE returns SET tried_at = now(), tries = tries + 1
            WHERE id IN (SELECT id FROM returns WHERE state IN ('parked', 'alarmed')
                AND tried_at <= now() - ? * interval '1 ms'
                ORDER BY tried_at LIMIT ? FOR UPDATE SKIP LOCKED)
            RETURNING id, sale, user_id, order_id, key, actor, cause, anyone, after_entry""");
    private static final Sql KEY_REFUSED = Sql.named("note-key-refused", """
            UPDATE returns SET reason = ?, after_entry = COALESCE(after_entry, ?)
            WHERE sale = ? AND user_id = ? AND key = ? AND state IN ('parked', 'alarmed')""");
    private static final Sql EXPLAIN = Sql.named("explain-return",
            "UPDATE returns SET reason = ? WHERE id = ? AND state IN ('parked', 'alarmed')");
    private static final Sql END = Sql.named("void-return", """
            WITH ended AS (
                UPDATE returns SET state = 'void', reason = ?, ended_at = now()
                WHERE id = ? AND state IN ('parked', 'alarmed')
                RETURNING sale, order_id, reason)
            INSERT INTO audit (id, epoch, actor, action, subject, after, cause)
            SELECT gen_random_uuid(), ?, ?, 'return.voided', concat_ws('/', sale, order_id),
                '"void"'::jsonb, reason FROM ended""");
    private static final Sql ALARM = Sql.named("alarm-returns", """
            WITH late AS (
                UPDATE returns SET state = 'alarmed' WHERE id IN (SELECT id FROM returns
                    WHERE state = 'parked' AND created_at <= now() - ? * interval '1 ms'
                    LIMIT 1000 FOR UPDATE SKIP LOCKED)
                RETURNING *),
            audited AS (
                INSERT INTO audit (id, epoch, actor, action, subject, before, after, cause)
                SELECT gen_random_uuid(), ?, ?, 'return.alarmed', concat_ws('/', sale, order_id),
                    '"parked"'::jsonb, '"alarmed"'::jsonb, reason FROM late)
            SELECT\s""" + ReturnView.COLUMNS + " FROM late");
    private static final Sql COUNT = Sql.named("count-returns", """
            SELECT count(*) FILTER (WHERE state = 'parked'),
                count(*) FILTER (WHERE state = 'alarmed')
            FROM returns WHERE state IN ('parked', 'alarmed')""");
    private static final String ACTOR = Actor.service("returns").text();

    private ParkedRows() {
    }

    /**
     * A parked return.
     *
     * @param actor  who returns it, and why
     * @param anyone whether the order may belong to any user, not only to this one
     */
    record Parked(UUID id, String sale, String user, Wanted wanted, Actor actor,
            boolean anyone) {

        private static Parked of(ResultSet row) throws SQLException {
            UUID order = row.getObject(4, UUID.class);
            return new Parked(row.getObject(1, UUID.class), row.getString(2), row.getString(3),
                    order != null ? new Wanted.ByOrder(order)
                            : new Wanted.ByKey(row.getString(5), row.getString(9)),
                    new Actor(row.getString(6), row.getString(7)), row.getBoolean(8));
        }

        /** The order to return, if the ledger has it by now; else null. */
        @Nullable Order find(Connection connection, int month) throws SQLException {
            return wanted.find(connection, month, sale, user);
        }
    }

    /** What a parked return names: an order, or a key. */
    sealed interface Wanted {

        /** The order in the ledger, or null. */
        @Nullable Order find(Connection connection, int month, String sale, String user)
                throws SQLException;

        /** An order. */
        record ByOrder(UUID order) implements Wanted {

            @Override
            public @Nullable Order find(Connection connection, int month, String sale,
                    String user) throws SQLException {
                return OrderRows.find(connection, month, sale, order);
            }
        }

        /**
         * A purchase by its key.
         *
         * @param after last entry of the stream when the key was refused; null before that
         */
        record ByKey(String key, @Nullable String after) implements Wanted {

            @Override
            public @Nullable Order find(Connection connection, int month, String sale,
                    String user) throws SQLException {
                return OrderRows.byKey(connection, month, sale, user, key);
            }
        }
    }

    /** The numbers of parked and alarmed returns. */
    record Counts(long parked, long alarmed) {
    }

    /**
     * Claims returns whose last try was {@code retryMs} ago, so that no other pod retries them now.
     */
    static List<Parked> claim(Connection connection, long retryMs, int max) throws SQLException {
        return CLAIM.list(connection, Parked::of, retryMs, max);
    }

    /** Stores Redis's reply after it was asked to refuse purchases under a key. */
    static void recordRefusal(Connection connection, String sale, String user, String key,
            Found found) throws SQLException {
        KEY_REFUSED.update(connection, reason(found),
                found instanceof Found.Refused refused ? refused.entry() : null,
                sale, user, key);
    }

    /** Why a return waits, from Redis's reply. */
    static String reason(Found found) {
        return found instanceof Found.Accepted accepted
                ? "The order " + accepted.order() + " waits for the ledger."
                : found instanceof Found.Ended ended
                ? "The order " + ended.order() + " has ended, and the ledger has lost it."
                : found instanceof Found.NotLoaded ? "Redis has lost the sale, which awaits repair."
                : "No purchase under this key is known; none is accepted any more.";
    }

    /** Stores why a return waits. */
    static void explain(Connection connection, UUID id, String reason) throws SQLException {
        EXPLAIN.update(connection, reason, id);
    }

    /** Ends a return that has nothing to give back. */
    static void end(Connection connection, LedgerState ledgerState, UUID id, String reason)
            throws SQLException {
        END.update(connection, reason, id, ledgerState.epoch(), ACTOR);
    }

    /** Marks returns that have waited too long as alarmed, and returns them, to be logged once. */
    static List<ReturnView> alarm(Connection connection, LedgerState ledgerState, long afterMs)
            throws SQLException {
        return ALARM.list(connection, ReturnView::of, afterMs, ledgerState.epoch(), ACTOR);
    }

    static Counts count(Connection connection) throws SQLException {
        return COUNT.one(connection, row -> new Counts(row.getLong(1), row.getLong(2)));
    }
}
