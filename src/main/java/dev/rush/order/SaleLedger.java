package dev.rush.order;

import dev.rush.redis.Partition;
import dev.rush.redis.Shards;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
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
            try (PreparedStatement insert = connection.prepareStatement("""
                    INSERT INTO sales (sale, partitions, definition, state, returns_limit)
                    VALUES (?, ?, ?, 'preparing', ?) ON CONFLICT DO NOTHING""")) {
                insert.setString(1, sale);
                insert.setArray(2, connection.createArrayOf("int4",
                        shards.partitions().stream().map(Partition::index).toArray()));
                insert.setString(3, definition);
                insert.setBoolean(4, returnsLimit);
                if (insert.executeUpdate() == 1) {
                    insertItems(connection, sale, items);
                }
            }
            try (PreparedStatement select = connection.prepareStatement(
                    "SELECT definition, state, epoch FROM sales WHERE sale = ?")) {
                select.setString(1, sale);
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    return new Entry(definition.equals(row.getString(1)), row.getString(2),
                            row.getString(3));
                }
            }
        });
    }

    private static void insertItems(Connection connection, String sale, List<Item> items)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO items (sale, sku, total, limit_per_user) VALUES (?, ?, ?, ?)""")) {
            for (Item item : items) {
                insert.setString(1, sale);
                insert.setString(2, item.sku());
                insert.setLong(3, item.total());
                insert.setLong(4, item.limitPerUser());
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    /**
     * Notes that the stock held back in Redis under this epoch may be released, unless another
     * loading was released before.
     *
     * @return the epoch that may be released
     */
    public CompletableFuture<String> loaded(String sale, Shards shards, String epoch) {
        return ledger.call(connection -> {
            try (PreparedStatement update = connection.prepareStatement("""
                    UPDATE sales SET state = 'loaded', epoch = ?, loaded_at = now()
                    WHERE sale = ? AND state = 'preparing'""");
                    PreparedStatement select = connection.prepareStatement(
                    "SELECT epoch FROM sales WHERE sale = ?")) {
                update.setString(1, epoch);
                update.setString(2, sale);
                update.executeUpdate();
                select.setString(1, sale);
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    return row.getString(1);
                }
            }
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
            try (PreparedStatement update = connection.prepareStatement("""
                    UPDATE items i SET version = i.version + 1, total = GREATEST(i.total, ?)
                    FROM sales s WHERE s.sale = i.sale AND s.state = 'loaded'
                        AND i.sale = ? AND i.sku = ? RETURNING i.version, i.total > ?""")) {
                update.setLong(1, total);
                update.setString(2, sale);
                update.setString(3, sku);
                update.setLong(4, total);
                try (ResultSet row = update.executeQuery()) {
                    return row.next() ? new Change(true, row.getLong(1), row.getBoolean(2))
                            : new Change(false, 0, false);
                }
            }
        });
    }

    /**
     * Finishes lowering a total, unless a later change has begun.
     *
     * @return false if the ledger has more sold than that
     */
    public CompletableFuture<Boolean> lowered(String sale, String sku, long total, long version) {
        return ledger.call(connection -> {
            try (PreparedStatement update = connection.prepareStatement("""
                    UPDATE items SET total = CASE WHEN sold <= ? THEN ? ELSE total END
                    WHERE sale = ? AND sku = ? AND version = ? RETURNING total = ?""")) {
                update.setLong(1, total);
                update.setLong(2, total);
                update.setString(3, sale);
                update.setString(4, sku);
                update.setLong(5, version);
                update.setLong(6, total);
                try (ResultSet row = update.executeQuery()) {
                    return !row.next() || row.getBoolean(1);
                }
            }
        });
    }

    /** Copies a sale's steering, for a rebuild of Redis. Redis is what counts until then. */
    public CompletableFuture<Void> steered(String sale, boolean paused, boolean closed) {
        return ledger.call(connection -> {
            try (PreparedStatement update = connection.prepareStatement("""
                    UPDATE sales SET paused = ?, closed_at_ms = CASE
                        WHEN closed_at_ms = 0 AND ? THEN (extract(epoch FROM now()) * 1000)::bigint
                        ELSE closed_at_ms END, version = version + 1
                    WHERE sale = ?""")) {
                update.setBoolean(1, paused);
                update.setBoolean(2, closed);
                update.setString(3, sale);
                update.executeUpdate();
                return null;
            }
        });
    }

    /** Terms and counters of a sale, spelled as Redis had them. */
    public record Kept(Map<String, String> conf, Map<String, String> stock) {
    }

    /** What the ledger keeps of a sale that Redis keeps no longer. */
    public CompletableFuture<Kept> kept(String sale) {
        return ledger.read(connection -> {
            Kept kept = new Kept(new HashMap<>(), new HashMap<>());
            try (PreparedStatement select = connection.prepareStatement("""
                    SELECT s.definition, s.closed_at_ms, i.sku, i.total, i.sold
                    FROM sales s JOIN items i ON i.sale = s.sale WHERE s.sale = ?""")) {
                select.setString(1, sale);
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        kept.conf.put("definition", row.getString(1));
                        kept.conf.put("closed_at", row.getString(2));
                        kept.stock.put(row.getString(3) + ":total", row.getString(4));
                        kept.stock.put(row.getString(3) + ":ordered", row.getString(5));
                    }
                }
            }
            return kept;
        });
    }
}
