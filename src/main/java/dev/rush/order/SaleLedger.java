package dev.rush.order;

import dev.rush.order.sql.Sql;
import dev.rush.order.sql.SqlArray;
import dev.rush.redis.Partition;
import dev.rush.redis.Shards;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Sales as the ledger knows them. Preparing goes ledger, Redis (held back), ledger (loaded, with
 * the name of this one loading), Redis (released): wherever it is cut off, the same call again
 * finishes it, and stock is released at most once ever. Raising a total goes ledger, Redis;
 * lowering Redis, ledger; a version tells which of two changes is the later one. So the total in
 * Redis is never above the ledger's.
 */
@Singleton
public class SaleLedger {

    private static final Sql INSERT = Sql.named("insert-sale", """
            INSERT INTO sales (sale, partitions, definition, state, returns_limit)
            VALUES (?, ?, ?, 'preparing', ?) ON CONFLICT DO NOTHING""");
    private static final Sql INSERT_ITEM = Sql.named("insert-item",
            "INSERT INTO items (sale, sku, total, limit_per_user) VALUES (?, ?, ?, ?)");
    private static final Sql FIND = Sql.named("sale",
            "SELECT definition, state, epoch FROM sales WHERE sale = ?");
    private static final Sql LOAD = Sql.named("load-sale", """
            UPDATE sales SET state = 'loaded', epoch = ?, loaded_at = now()
            WHERE sale = ? AND state = 'preparing'""");
    private static final Sql EPOCH = Sql.named("sale-epoch",
            "SELECT epoch FROM sales WHERE sale = ?");
    private static final Sql CHANGE_TOTAL = Sql.named("change-total", """
            UPDATE items i SET version = i.version + 1, total = GREATEST(i.total, ?)
            FROM sales s WHERE s.sale = i.sale AND s.state = 'loaded'
                AND i.sale = ? AND i.sku = ? RETURNING i.version, i.total > ?""");
    private static final Sql LOWER = Sql.named("lower-total", """
            UPDATE items SET total = CASE WHEN sold <= ? THEN ? ELSE total END
            WHERE sale = ? AND sku = ? AND version = ? RETURNING total = ?""");
    private static final Sql STEER = Sql.named("steer-sale", """
            UPDATE sales SET paused = ?, closed_at_ms = CASE
                WHEN closed_at_ms = 0 AND ? THEN (extract(epoch FROM now()) * 1000)::bigint
                ELSE closed_at_ms END, control = ?, version = version + 1
            WHERE sale = ? AND control <= ?""");
    private static final Sql KEPT = Sql.named("sale-kept", """
            SELECT s.definition, s.closed_at_ms, i.sku, i.total, i.sold
            FROM sales s JOIN items i ON i.sale = s.sale WHERE s.sale = ?""");

    private final Ledger ledger;
    private final KnownIds known;

    @Inject
    SaleLedger(Ledger ledger, KnownIds known) {
        this.ledger = ledger;
        this.known = known;
    }

    /** An item as it is first prepared. */
    public record Item(String sku, long total, long limitPerUser) {
    }

    /**
     * A sale in the ledger.
     *
     * @param same  whether its definition is the one that was asked for
     * @param state preparing, loaded (its stock has been released), retiring or retired
     * @param epoch the loading that was released; null before
     */
    public record Entry(boolean same, String state, String epoch) {

        /** {@link LedgerState#isLoaded}. */
        public boolean isLoaded() {
            return LedgerState.isLoaded(state);
        }

        /** {@link LedgerState#isRetired}. */
        public boolean isRetired() {
            return LedgerState.isRetired(state);
        }
    }

    /** Enters a sale unless it is there, and says what is there. */
    public CompletableFuture<Entry> prepare(
            String sale, Shards shards, String definition, boolean returnsLimit,
            List<Item> items) {
        return ledger.call(connection -> {
            int inserted = INSERT.update(connection, sale, SqlArray.integers(
                    shards.partitions().stream().map(Partition::index).toList()),
                    definition, returnsLimit);
            if (inserted == 1) {
                INSERT_ITEM.batch(connection, items.stream().map(item -> new Object[] {
                        sale, item.sku, item.total, item.limitPerUser}).toList());
            }
            return FIND.one(connection, row -> new Entry(definition.equals(row.getString(1)),
                    row.getString(2), row.getString(3)), sale);
        });
    }

    /**
     * Notes that the stock held back in Redis under this epoch may be released, unless another
     * loading was released before.
     *
     * @return the epoch that may be released
     */
    public CompletableFuture<String> loaded(String sale, Shards shards, String epoch) {
        return ledger.call(connection -> {
            LOAD.update(connection, epoch, sale);
            return EPOCH.one(connection, row -> row.getString(1), sale);
        }).thenApply(released -> {
            known.addSale(sale, shards);
            return released;
        });
    }

    /**
     * A change of a total that has begun.
     *
     * @param found   false if the ledger has no such item of a loaded sale
     * @param version tells Redis and the ledger which change is the latest
     * @param lower   whether Redis goes first and {@link #lowered} has to follow
     */
    public record Change(boolean found, long version, boolean lower) {
    }

    /** Begins to change a total; a raise is done in the ledger with this. */
    public CompletableFuture<Change> changeTotal(String sale, String sku, long total) {
        return ledger.call(connection -> {
            Change begun = CHANGE_TOTAL.first(connection,
                    row -> new Change(true, row.getLong(1), row.getBoolean(2)),
                    total, sale, sku, total);
            return begun != null ? begun : new Change(false, 0, false);
        });
    }

    /**
     * Finishes lowering a total, unless a later change has begun.
     *
     * @return false if the ledger has more sold than that
     */
    public CompletableFuture<Boolean> lowered(String sale, String sku, long total, long version) {
        return ledger.call(connection -> !Boolean.FALSE.equals(LOWER.first(connection,
                row -> row.getBoolean(1), total, total, sale, sku, version, total)));
    }

    /**
     * Copies a sale's steering, for a rebuild of Redis. Redis is what counts until then. Copies
     * may arrive in another order than the changes were made in; an older one changes nothing.
     *
     * @param control Redis's version of the change
     */
    public CompletableFuture<Void> steered(
            String sale, long control, boolean paused, boolean closed) {
        return ledger.call(connection -> {
            STEER.update(connection, paused, closed, control, sale, control);
            return null;
        });
    }

    /** Terms and counters of a sale, spelled as Redis had them. */
    public record Kept(Map<String, String> conf, Map<String, String> stock) {
    }

    /** What the ledger keeps of a sale that Redis keeps no longer. */
    public CompletableFuture<Kept> kept(String sale) {
        return ledger.read(connection -> {
            Kept kept = new Kept(new HashMap<>(), new HashMap<>());
            KEPT.each(connection, row -> {
                kept.conf.put("definition", row.getString(1));
                kept.conf.put("closed_at", row.getString(2));
                kept.stock.put(row.getString(3) + ":total", row.getString(4));
                kept.stock.put(row.getString(3) + ":ordered", row.getString(5));
            }, sale);
            return kept;
        });
    }
}
