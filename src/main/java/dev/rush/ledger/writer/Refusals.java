package dev.rush.ledger.writer;

import dev.rush.ledger.Actor;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import dev.rush.ledger.writer.StreamEntry.Purchase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;

/**
 * Orders that a guard refused: kept outside the unique index, each with a step that states the
 * reason.
 */
final class Refusals {

    private static final Sql INSERT = Sql.named("insert-rejected", """
            WITH refused AS (
                INSERT INTO rejected (id, month, block, seq, placed_at_ms, pay_by_ms, partition,
                    sale, user_id, key, digest, lines, lefts, reason)
                SELECT id, ?, block, seq, placed_at_ms, pay_by_ms, ?, sale, user_id, key, digest,
                    lines, lefts, reason
                FROM unnest(?::uuid[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[],
                    ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
                    AS one (id, block, seq, placed_at_ms, pay_by_ms, sale, user_id, key, digest,
                        lines, lefts, reason)
                RETURNING id, month, partition, sale, reason)
            INSERT INTO steps (month, order_id, step, kind, epoch, partition, sale, actor, cause)
            SELECT month, id, 0, 'rejected', ?, partition, sale, ?, reason FROM refused""");
    private static final Sql KNOWN = Sql.named("known-refusals", """
            SELECT r.id, r.reason FROM unnest(?::uuid[]) AS i
            JOIN LATERAL (SELECT r.id, r.reason FROM rejected r WHERE r.month = ? AND r.id = i
                LIMIT 1) r ON true""");
    static final String GUARD = Actor.service("guard").text();

    private Refusals() {
    }

    /** Stores refused orders with their reasons. */
    static void insert(Connection connection, Fence fence, Booking booking,
            Map<Purchase, String> refused, Map<String, Terms> terms) throws SQLException {
        Map<Integer, List<Purchase>> months = new HashMap<>();
        refused.keySet().forEach(purchase -> months.computeIfAbsent(
                Terms.of(terms, purchase).month(), month -> new ArrayList<>()).add(purchase));
        for (Map.Entry<Integer, List<Purchase>> of : months.entrySet()) {
            List<Purchase> all = of.getValue();
            INSERT.update(connection, of.getKey(), fence.partition(),
                    SqlArray.ids(all.stream().map(Purchase::order).toList()),
                    SqlArray.longs(all, one -> booking.block(one.seq())),
                    SqlArray.longs(all, Purchase::seq), SqlArray.longs(all, Purchase::placedAt),
                    SqlArray.longs(all, one -> Terms.of(terms, one).payBy(one)),
                    SqlArray.texts(all, Purchase::sale), SqlArray.texts(all, Purchase::user),
                    SqlArray.texts(all, Purchase::key), SqlArray.texts(all, Purchase::digest),
                    SqlArray.texts(all, Purchase::lines), SqlArray.texts(all, Purchase::lefts),
                    SqlArray.texts(all, refused::get), fence.ledgerState().epoch(), GUARD);
        }
    }

    /** Reads which of these were refused before, and why. */
    static void known(Connection connection, int month, Set<UUID> orders,
            BiConsumer<UUID, String> refused) throws SQLException {
        if (!orders.isEmpty()) {
            KNOWN.each(connection,
                    row -> refused.accept(row.getObject(1, UUID.class), row.getString(2)),
                    SqlArray.ids(orders), month);
        }
    }
}
