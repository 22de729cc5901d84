package dev.rush.order;

import dev.rush.order.sql.Sql;
import dev.rush.redis.Partitions;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Rains as the ledger knows them. As with sales, the ledger is told first what is prepared, and
 * then which one filling is released, before the last envelope makes it a rain that can be grabbed.
 */
@Singleton
public class RainLedger {

    private static final Sql INSERT = Sql.named("insert-rain", """
            INSERT INTO rains (rain, partition, definition, state, envelopes, amount,
                limit_per_user)
            VALUES (?, ?, ?, 'preparing', ?, ?, ?) ON CONFLICT DO NOTHING""");
    private static final Sql FIND = Sql.named("rain",
            "SELECT definition, state, epoch FROM rains WHERE rain = ?");
    private static final Sql LOAD = Sql.named("load-rain", """
            UPDATE rains SET state = 'loaded', epoch = ?, loaded_at = now()
            WHERE rain = ? AND state = 'preparing'""");
    private static final Sql EPOCH = Sql.named("rain-epoch",
            "SELECT epoch FROM rains WHERE rain = ?");
    private static final Sql CLOSE = Sql.named("close-rain", """
            UPDATE rains SET closed_at_ms = (extract(epoch FROM now()) * 1000)::bigint
            WHERE rain = ? AND closed_at_ms = 0""");
    private static final Sql KEPT = Sql.named("rain-kept", """
            SELECT definition, closed_at_ms, granted, granted_amount FROM rains
            WHERE rain = ?""");

    private final Ledger ledger;
    private final Partitions partitions;
    private final KnownIds known;

    @Inject
    RainLedger(Ledger ledger, Partitions partitions, KnownIds known) {
        this.ledger = ledger;
        this.partitions = partitions;
        this.known = known;
    }

    /**
     * A rain in the ledger.
     *
     * @param same    whether its definition is the one that was asked for
     * @param loaded  whether a filling of it has been released
     * @param retired whether it is over and its keys are not in Redis any more, or soon will not be
     * @param epoch   that filling; null before
     */
    public record Entry(boolean same, boolean loaded, boolean retired, String epoch) {
    }

    /** Whether rains have to be entered here at all. */
    public boolean isWanted() {
        return ledger.isWanted();
    }

    /** Enters a rain unless it is there, and says what is there. */
    public CompletableFuture<Entry> prepare(
            String rain, String definition, long envelopes, long amount, long limitPerUser) {
        return ledger.call(connection -> {
            INSERT.update(connection, rain, partitions.of(rain).index(), definition, envelopes,
                    amount, limitPerUser);
            return FIND.one(connection, row -> new Entry(definition.equals(row.getString(1)),
                    LedgerState.isLoaded(row.getString(2)),
                    LedgerState.isRetired(row.getString(2)), row.getString(3)), rain);
        });
    }

    /**
     * Notes that this filling may be released, unless another was before.
     *
     * @return the epoch that may be released
     */
    public CompletableFuture<String> loaded(String rain, String epoch) {
        return ledger.call(connection -> {
            LOAD.update(connection, epoch, rain);
            return EPOCH.one(connection, row -> row.getString(1), rain);
        }).thenApply(released -> {
            known.addRain(rain);
            return released;
        });
    }

    /** Copies that a rain was closed, for a rebuild of Redis. Redis is what counts until then. */
    public CompletableFuture<Void> closed(String rain) {
        return ledger.call(connection -> {
            CLOSE.update(connection, rain);
            return null;
        });
    }

    /** What the ledger keeps of a rain that Redis keeps no longer, spelled as Redis had it. */
    public CompletableFuture<Map<String, String>> kept(String rain) {
        return ledger.read(connection -> KEPT.one(connection, row -> {
            Map<String, String> conf = new HashMap<>();
            conf.put("definition", row.getString(1));
            conf.put("closed_at", row.getString(2));
            conf.put("granted", row.getString(3));
            conf.put("granted_amount", row.getString(4));
            return conf;
        }, rain));
    }
}
