package dev.rush.ledger;

import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rows of sales and their items, in the caller's transaction. */
public final class SaleRows {

    private static final Sql PREPARE = Sql.named("prepare-sale", """
            INSERT INTO sales (sale, month, partitions, definition, state, returns_limit,
                payment_window_ms, orders_per_user, ends_at_ms)
            VALUES (?, month_of(now()), ?, ?, 'preparing', ?, ?, ?, ?) ON CONFLICT DO NOTHING""");
    private static final Sql INSERT_ITEMS = Sql.named("insert-items", """
            INSERT INTO items (sale, sku, total, limit_per_user)
            SELECT ?, sku, total, limit_per_user
            FROM unnest(?::text[], ?::bigint[], ?::bigint[]) AS i (sku, total, limit_per_user)""");
    private static final Sql FIND = Sql.named("prepared-sale",
            "SELECT definition, state, release, month FROM sales WHERE sale = ?");
    private static final Sql LOAD = Sql.named("load-prepared-sale", """
            UPDATE sales SET state = 'loaded', release = ?, loaded_at = now(),
                changed = pg_current_xact_id()
            WHERE sale = ? AND state = 'preparing'""");
    private static final Sql RELEASE = Sql.named("release-of-sale",
            "SELECT release FROM sales WHERE sale = ?");
    private static final Sql BEGIN_TOTAL = Sql.named("begin-total", """
            UPDATE items i SET version = i.version + 1, total = GREATEST(i.total, ?)
            FROM sales s WHERE s.sale = i.sale AND s.state = 'loaded'
                AND i.sale = ? AND i.sku = ? RETURNING i.version, i.total > ?""");
    private static final Sql END_TOTAL = Sql.named("end-total", """
            UPDATE items SET total = CASE WHEN sold <= ? THEN ? ELSE total END
            WHERE sale = ? AND sku = ? AND version = ? RETURNING total = ?""");
    private static final Sql APPLY_CONTROL = Sql.named("apply-control-of-sale", """
            UPDATE sales SET paused = COALESCE(?, paused),
                closed_at_ms = COALESCE(?, closed_at_ms), control = ?,
                changed = pg_current_xact_id()
            WHERE sale = ? AND control < ?""");
    private static final Sql RESCHEDULE = Sql.named("reschedule-sale", """
            UPDATE sales s SET definition = ?, ends_at_ms = ?, control = ?,
                changed = pg_current_xact_id()
            FROM (SELECT sale, definition FROM sales WHERE sale = ? FOR UPDATE) AS earlier
            WHERE s.sale = earlier.sale AND s.control < ? RETURNING earlier.definition""");
    /** OFFSET keeps the planner from reading all sales ever. */
    private static final Sql KEPT = Sql.named("kept-sales", """
            SELECT s.sale, s.definition, s.closed_at_ms FROM unnest(?::text[]) AS wanted (sale)
            JOIN LATERAL (SELECT * FROM sales s WHERE s.sale = wanted.sale OFFSET 0) s ON true""");
    private static final Sql KEPT_ITEMS = Sql.named("kept-items", """
            SELECT i.sale, i.sku, i.total, i.limit_per_user, i.sold
            FROM unnest(?::text[]) AS wanted (sale)
            JOIN LATERAL (SELECT * FROM items i WHERE i.sale = wanted.sale OFFSET 0) i ON true
            ORDER BY i.sale, i.sku""");

    private SaleRows() {
    }

    /** An item as it is prepared; a limit of 0 means none. */
    public record Item(String sku, long total, long limitPerUser) {
    }

    /**
     * A sale as it is prepared.
     *
     * @param partitions      of its shards, in their order
     * @param definition      JSON
     * @param paymentWindowMs 0 if its orders are confirmed at once
     * @param endsAtMs        0 if it is open until it is closed
     */
    public record Terms(String sale, List<Integer> partitions, String definition,
            boolean returnsLimit, long paymentWindowMs, long ordersPerUser, long endsAtMs,
            List<Item> items) {
    }

    /**
     * A sale or rain in the ledger.
     *
     * @param fresh   whether this call stored it
     * @param same    whether its definition is the requested one
     * @param release the loading that was released; null if none was
     * @param month   in which it was prepared, as yyyymm
     */
    public record Entry(boolean fresh, boolean same, OfferState state, @Nullable String release,
            int month) {
    }

    /** Stores a sale, in the current month, unless it exists; returns the stored one. */
    public static Entry prepare(Connection connection, Terms terms) throws SQLException {
        Months.ensure(connection);
        boolean fresh = PREPARE.update(connection, terms.sale,
                SqlArray.integers(terms.partitions), terms.definition, terms.returnsLimit,
                terms.paymentWindowMs, terms.ordersPerUser, terms.endsAtMs) == 1;
        if (fresh) {
            INSERT_ITEMS.update(connection, terms.sale, SqlArray.texts(terms.items, Item::sku),
                    SqlArray.longs(terms.items, Item::total),
                    SqlArray.longs(terms.items, Item::limitPerUser));
        }
        return FIND.one(connection, row -> new Entry(fresh,
                terms.definition.equals(row.getString(1)), OfferState.of(row.getString(2)),
                row.getString(3), row.getInt(4)), terms.sale);
    }

    /**
     * Records that the stock held back in Redis under the name of this loading may be released,
     * unless another loading was released before.
     *
     * @return the loading that may be released
     */
    public static String load(Connection connection, String sale, String release)
            throws SQLException {
        LOAD.update(connection, release, sale);
        return RELEASE.one(connection, row -> row.getString(1), sale);
    }

    /**
     * A change of a total that has begun.
     *
     * @param version orders the changes in Redis and the ledger
     * @param lower   whether Redis changes first and {@link #endTotal} must follow
     */
    public record TotalChange(long version, boolean lower) {
    }

    /**
     * Begins to change a total. In the ledger, this completes a raise.
     *
     * @return null if the ledger has no such item of a loaded sale
     */
    public static @Nullable TotalChange beginTotal(Connection connection, String sale, String sku,
            long total) throws SQLException {
        return BEGIN_TOTAL.first(connection,
                row -> new TotalChange(row.getLong(1), row.getBoolean(2)), total, sale, sku,
                total);
    }

    /**
     * Finishes lowering a total, unless a later change has begun.
     *
     * @return false if more units than that are sold
     */
    public static boolean endTotal(Connection connection, String sale, String sku, long total,
            long version) throws SQLException {
        return !Boolean.FALSE.equals(END_TOTAL.first(connection, row -> row.getBoolean(1),
                total, total, sale, sku, version, total));
    }

    /**
     * Copies a pause, resume or close from Redis, which decided it.
     *
     * @param version    of the change in Redis
     * @param paused     null to leave it unchanged
     * @param closedAtMs null to leave it unchanged
     * @return false if this change or a later one was copied before
     */
    public static boolean applyControl(Connection connection, String sale, long version,
            @Nullable Boolean paused, @Nullable Long closedAtMs) throws SQLException {
        return APPLY_CONTROL.update(connection, paused, closedAtMs, version, sale, version) == 1;
    }

    /**
     * Copies new times and a new title from Redis, which decided them.
     *
     * @param version    of the change in Redis
     * @param definition the new one
     * @param endsAtMs   from the definition; 0 if the sale is open until it is closed
     * @return the previous definition; null if this change or a later one was copied before
     */
    public static @Nullable String reschedule(Connection connection, String sale, long version,
            String definition, long endsAtMs) throws SQLException {
        return RESCHEDULE.first(connection, row -> row.getString(1), definition, endsAtMs,
                version, sale, version);
    }

    /** The ledger's data of an item. */
    public record KeptItem(String sku, long total, long limitPerUser, long sold) {
    }

    /** The ledger's data of a sale, whether it is in Redis or not. */
    public record Kept(String definition, long closedAtMs, List<KeptItem> items) {
    }

    /** The ledger's data of those of these sales that it has, with items by sku. */
    public static Map<String, Kept> kept(Connection connection, Collection<String> sales)
            throws SQLException {
        Map<String, List<KeptItem>> items = new HashMap<>();
        KEPT_ITEMS.each(connection, row -> items
                .computeIfAbsent(row.getString(1), sale -> new ArrayList<>())
                .add(new KeptItem(row.getString(2), row.getLong(3), row.getLong(4),
                        row.getLong(5))), SqlArray.texts(sales));
        Map<String, Kept> kept = new HashMap<>();
        KEPT.each(connection, row -> kept.put(row.getString(1), new Kept(row.getString(2),
                row.getLong(3), items.getOrDefault(row.getString(1), List.of()))),
                SqlArray.texts(sales));
        return kept;
    }
}
