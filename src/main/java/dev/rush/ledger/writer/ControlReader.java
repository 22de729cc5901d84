package dev.rush.ledger.writer;

import dev.rush.ledger.AuditRows;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.LedgerState;
import dev.rush.ledger.RainRows;
import dev.rush.ledger.SaleRows;
import dev.rush.ledger.WatchedOffers;
import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Partitions;
import dev.rush.redis.RedisFailure;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jboss.logging.Logger;

/**
 * Copies changes that scripts decided in Redis to the ledger: pauses, resumes, closes, and who
 * changed what. The writer of a partition does it, and one of them for the blocklist too. An entry
 * leaves its stream once the ledger has it, so an outage of PostgreSQL delays changes and loses
 * none. An entry that no script of Rush wrote is logged and removed, so that it holds up no other.
 */
@Singleton
class ControlReader {

    private static final Logger LOG = Logger.getLogger(ControlReader.class);
    private static final int ENTRIES_MAX = 100;
    private static final String STREAM = "control";
    /** The partition whose writer copies the blocklist's changes. */
    private static final int BLOCKLIST_WITH = 0;

    private final Ledger ledger;
    private final RedisCommands redis;
    /** Partitions whose keys for exchange between ledger and pods exist. */
    private final Set<Partition> ensured = ConcurrentHashMap.newKeySet();
    /** Streams whose entries are being copied. */
    private final Set<Keys> underWay = ConcurrentHashMap.newKeySet();

    @Inject
    ControlReader(Ledger ledger, RedisCommands redis) {
        this.ledger = ledger;
        this.redis = redis;
    }

    /** Whether the blocklist's changes are polled with this partition's. */
    static boolean hasBlocklist(int partition) {
        return partition == BLOCKLIST_WITH;
    }

    /**
     * Copies waiting changes, unless that is already running.
     *
     * @param token   of the partition's lease, under which it is stored
     * @param workers on which calls to the ledger wait
     * @return completes when it is done; never fails
     */
    CompletableFuture<Void> poll(Partition partition, long token, Executor workers) {
        if (!ensured.contains(partition)) {
            ensure(partition);
        }
        CompletableFuture<Void> own =
                poll(partition.keys().named(STREAM), partition, token, workers);
        return !hasBlocklist(partition.index()) ? own : CompletableFuture.allOf(own,
                poll(Partitions.BLOCKLIST.keys().named(STREAM), partition, token, workers));
    }

    /** While a slot moves, a script runs only on the node that has all of its keys. */
    private void ensure(Partition partition) {
        redis.script(WriterScripts.ENSURE,
                partition.keys().named(STREAM, "ledger", "decided", "reported", "expired"),
                List.of())
                .thenAccept(made -> ensured.add(partition))
                .exceptionally(failure -> {
                    LOG.debugf("Partition %s lacks keys: %s", partition, failure.getMessage());
                    return null;
                });
    }

    private CompletableFuture<Void> poll(
            Keys stream, Partition partition, long token, Executor workers) {
        if (!underWay.add(stream)) {
            return CompletableFuture.completedFuture(null);
        }
        // Composed, so that an exception of the call itself also ends it.
        return CompletableFuture.completedFuture(Integer.toString(ENTRIES_MAX))
                .thenCompose(max -> redis.read("XRANGE", stream, "-", "+", "COUNT", max))
                .thenCompose(entries -> entries.size() == 0
                        ? CompletableFuture.<Void>completedFuture(null)
                        : CompletableFuture.supplyAsync(
                                () -> keep(entries, partition, token), workers)
                                .thenCompose(kept -> redis.command(
                                        "XDEL", stream, kept.toArray(String[]::new)))
                                .thenAccept(removed -> { }))
                .handle((done, failure) -> {
                    underWay.remove(stream);
                    if (failure != null) {
                        failed(stream, failure);
                    }
                    return null;
                });
    }

    private static void failed(Keys stream, Throwable failure) {
        Throwable reason = failure instanceof CompletionException ? failure.getCause() : failure;
        boolean isExpected = reason instanceof LedgerFailure ledger && ledger.isOutage()
                || reason instanceof RedisFailure || reason instanceof Fence.Fenced;
        LOG.log(isExpected ? Logger.Level.DEBUG : Logger.Level.ERROR,
                "Changes in " + stream + " have to wait", reason);
    }

    /** The entries that may leave the stream. */
    private List<String> keep(Reply entries, Partition partition, long token) {
        List<String> all = new ArrayList<>();
        List<ControlEntry> changes = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            String entry = entries.at(i).at(0).word();
            all.add(entry);
            try {
                changes.add(ControlEntry.of(entry, entries.at(i).at(1)));
            } catch (IllegalArgumentException e) {
                LOG.errorf("The entry %s of the changes of partition %s was not understood: %s",
                        entry, partition, e.getMessage());
            }
        }
        ledger.transactOrNull((connection, ledgerState) -> {
            Fence.take(connection, ledgerState, partition.index(), token, 0);
            for (ControlEntry change : changes) {
                // Changes without a caller before it, and those that it causes, such as an opening.
                reach(connection, ledgerState, change);
                keep(connection, ledgerState, change);
                reach(connection, ledgerState, change);
            }
            return null;
        });
        return all;
    }

    private static void reach(Connection connection, LedgerState ledgerState, ControlEntry change)
            throws SQLException {
        boolean isSale = change.kind().equals(ControlEntry.SALE);
        if (isSale || change.kind().equals(ControlEntry.RAIN)) {
            WatchedOffers.reach(connection, ledgerState, isSale, change.subject(), change.atMs());
        }
    }

    private static void keep(Connection connection, LedgerState ledgerState, ControlEntry change)
            throws SQLException {
        String terms = change.terms();
        Long endsAtMs = change.after();
        if (terms != null && endsAtMs != null) {
            reschedule(connection, ledgerState, change, terms, endsAtMs);
            return;
        }
        boolean isClose = change.action().equals(ControlEntry.CLOSE);
        if (change.isPause() || isClose) {
            Boolean paused = isClose ? null : (Boolean) change.value(change.after());
            Long closedAt = isClose ? change.after() : null;
            if (change.kind().equals(ControlEntry.SALE)) {
                SaleRows.applyControl(connection, change.subject(), change.version(), paused,
                        closedAt);
            } else if (change.kind().equals(ControlEntry.RAIN)) {
                RainRows.applyControl(connection, change.subject(), change.version(), paused,
                        closedAt);
            }
        }
        AuditRows.insert(connection, ledgerState, change.id(), change.actor(), change.happened(),
                change.subject(), change.value(change.before()), change.value(change.after()),
                change.cause());
    }

    private static void reschedule(Connection connection, LedgerState ledgerState,
            ControlEntry change, String terms, long endsAtMs) throws SQLException {
        String earlier = SaleRows.reschedule(connection, change.subject(), change.version(),
                terms, endsAtMs);
        Rescheduled changed = Rescheduled.of(earlier, terms);
        AuditRows.insert(connection, ledgerState, change.id(), change.actor(), change.happened(),
                change.subject(), changed.before(), changed.after(), change.cause());
    }
}
