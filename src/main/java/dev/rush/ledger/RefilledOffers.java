package dev.rush.ledger;

import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;

/**
 * Stores released sales and rains again that Redis has and this ledger has lost, in the caller's
 * transaction. One that is still being prepared in this ledger has no orders yet.
 */
public final class RefilledOffers {

    private static final Sql UNKNOWN_SALES = Sql.named("sales-unknown", """
            SELECT id FROM unnest(?::text[]) AS id
            WHERE NOT EXISTS (SELECT FROM sales WHERE sale = id AND state <> 'preparing')""");
    private static final Sql UNKNOWN_RAINS = Sql.named("rains-unknown", """
            SELECT id FROM unnest(?::text[]) AS id
            WHERE NOT EXISTS (SELECT FROM rains WHERE rain = id AND state <> 'preparing')""");
    private static final Sql SALE = Sql.named("refill-sale", """
            INSERT INTO sales AS s (sale, month, partitions, definition, state, release,
                returns_limit, payment_window_ms, orders_per_user, ends_at_ms, paused,
                closed_at_ms, control, prepared_at, loaded_at)
            VALUES (?, ?, ?, ?, 'loaded', ?, ?, ?, ?, ?, ?, ?, ?,
                to_timestamp(?::bigint / 1000.0), to_timestamp(?::bigint / 1000.0))
            ON CONFLICT (sale) DO UPDATE SET month = excluded.month,
                partitions = excluded.partitions, definition = excluded.definition,
                state = excluded.state, release = excluded.release,
                returns_limit = excluded.returns_limit,
                payment_window_ms = excluded.payment_window_ms,
                orders_per_user = excluded.orders_per_user, ends_at_ms = excluded.ends_at_ms,
                paused = excluded.paused, closed_at_ms = excluded.closed_at_ms,
                control = excluded.control, prepared_at = excluded.prepared_at,
                loaded_at = excluded.loaded_at, changed = excluded.changed
            WHERE s.state = 'preparing'""");
    private static final Sql FORGET_ITEMS =
            Sql.named("forget-items", "DELETE FROM items WHERE sale = ?");
    private static final Sql ITEMS = Sql.named("refill-items", """
            INSERT INTO items (sale, sku, total, limit_per_user, version)
            SELECT ?, sku, total, limit_per_user, version
            FROM unnest(?::text[], ?::bigint[], ?::bigint[], ?::bigint[])
                AS i (sku, total, limit_per_user, version)""");
    private static final Sql RAIN = Sql.named("refill-rain", """
            INSERT INTO rains AS r (rain, month, partition, definition, state, release, envelopes,
                amount, limit_per_user, ends_at_ms, paused, closed_at_ms, control, prepared_at,
                loaded_at)
            VALUES (?, ?, ?, ?, 'loaded', ?, ?, ?, ?, ?, ?, ?, ?,
                to_timestamp(?::bigint / 1000.0), to_timestamp(?::bigint / 1000.0))
            ON CONFLICT (rain) DO UPDATE SET month = excluded.month,
                partition = excluded.partition, definition = excluded.definition,
                state = excluded.state, release = excluded.release,
                envelopes = excluded.envelopes, amount = excluded.amount,
                limit_per_user = excluded.limit_per_user, ends_at_ms = excluded.ends_at_ms,
                paused = excluded.paused, closed_at_ms = excluded.closed_at_ms,
                control = excluded.control, prepared_at = excluded.prepared_at,
                loaded_at = excluded.loaded_at, changed = excluded.changed
            WHERE r.state = 'preparing'""");

    private RefilledOffers() {
    }

    /**
     * The state of a sale or rain since it was prepared.
     *
     * @param month        in which it was prepared, as the ledger had it
     * @param release      the loading that was released
     * @param closedAtMs   0 if it was not closed
     * @param control      version of the latest pause, resume or close
     * @param preparedAtMs by Redis's clock
     */
    public record State(int month, String release, boolean paused, long closedAtMs, long control,
            long preparedAtMs) {
    }

    /** An item as in Redis; the version is that of the latest change of its total. */
    public record Item(String sku, long total, long limitPerUser, long version) {
    }

    /** The sales among these that are not released in this ledger. */
    public static List<String> unknownSales(Connection connection, Collection<String> sales)
            throws SQLException {
        return UNKNOWN_SALES.list(connection, row -> row.getString(1), SqlArray.texts(sales));
    }

    /** The rains among these that are not released in this ledger. */
    public static List<String> unknownRains(Connection connection, Collection<String> rains)
            throws SQLException {
        return UNKNOWN_RAINS.list(connection, row -> row.getString(1), SqlArray.texts(rains));
    }

    /**
     * Stores a sale as released, unless it already is.
     *
     * @param terms their items are ignored
     * @return whether it was stored
     */
    public static boolean sale(Connection connection, SaleRows.Terms terms, List<Item> items,
            State state) throws SQLException {
        Months.ensure(connection, state.month);
        if (SALE.update(connection, terms.sale(), state.month,
                SqlArray.integers(terms.partitions()), terms.definition(), state.release,
                terms.returnsLimit(), terms.paymentWindowMs(), terms.ordersPerUser(),
                terms.endsAtMs(), state.paused, state.closedAtMs, state.control,
                state.preparedAtMs, state.preparedAtMs) == 0) {
            return false;
        }
        FORGET_ITEMS.update(connection, terms.sale());
        ITEMS.update(connection, terms.sale(), SqlArray.texts(items, Item::sku),
                SqlArray.longs(items, Item::total), SqlArray.longs(items, Item::limitPerUser),
                SqlArray.longs(items, Item::version));
        return true;
    }

    /** Stores a rain as released, unless it already is. Returns whether it was stored. */
    public static boolean rain(Connection connection, RainRows.Terms terms, State state)
            throws SQLException {
        Months.ensure(connection, state.month);
        return RAIN.update(connection, terms.rain(), state.month, terms.partition(),
                terms.definition(), state.release, terms.envelopes(), terms.amount(),
                terms.limitPerUser(), terms.endsAtMs(), state.paused, state.closedAtMs,
                state.control, state.preparedAtMs, state.preparedAtMs) == 1;
    }
}
