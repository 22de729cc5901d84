package dev.rush.ledger.writer;

import dev.rush.ledger.Deferral;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.LedgerState;
import dev.rush.ledger.writer.StreamEntry.Grab;
import dev.rush.ledger.writer.StreamEntry.Purchase;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Stores entries of one partition, each batch in one transaction under the partition's lease. When
 * a call returns, every order is stored, refused, or will be retried, so that its entry can leave
 * the stream, or is deferred.
 */
@Singleton
class BatchStore {

    private final Ledger ledger;
    private final OrderStore orders;
    private final GrabStore grabs;
    private final Retries retries;

    @Inject
    BatchStore(Ledger ledger, OrderStore orders, GrabStore grabs, Retries retries) {
        this.ledger = ledger;
        this.orders = orders;
        this.grabs = grabs;
        this.retries = retries;
    }

    /**
     * Stores a batch, except what it defers. If it fails because of a single row, it is split.
     *
     * @throws LedgerFailure for an outage: the outcome is unknown, and all may be retried
     * @throws Fence.Fenced if the token is no longer the partition's
     */
    Batch store(int partition, long token, List<StreamEntry> entries) {
        try {
            return storeOnce(partition, token, entries);
        } catch (LedgerFailure e) {
            if (e.isOutage()) {
                throw e;
            }
            if (entries.size() == 1) {
                return ledger.transact((connection, ledgerState) -> {
                    Fence.take(connection, ledgerState, partition, token, 0);
                    Batch batch = failed(ledgerState, entries.get(0), e);
                    retries.add(connection, partition, batch);
                    return batch;
                });
            }
            // Halves, so that one bad row among many costs few transactions.
            int middle = entries.size() / 2;
            Batch batch = store(partition, token, entries.subList(0, middle));
            List<StreamEntry> rest = entries.subList(middle, entries.size());
            if (batch.hasDeferred()) {
                // Even if deferring has just ended, because the order of entries must not change.
                rest = batch.deferNumbered(rest);
            }
            if (!rest.isEmpty()) {
                batch.add(store(partition, token, rest));
            }
            return batch;
        }
    }

    /** Assumes that the orders are new and valid, and checks each of them if that was wrong. */
    private Batch storeOnce(int partition, long token, List<StreamEntry> entries) {
        try {
            return ledger.transact((connection, ledgerState) ->
                    store(connection, ledgerState, partition, token, entries, true));
        } catch (OrderStore.FastPathFailed e) {
            return storeCarefully(partition, token, entries);
        } catch (LedgerFailure e) {
            if (!e.isConflict()) {
                throw e;
            }
            orders.conflicted();
            return storeCarefully(partition, token, entries);
        }
    }

    private Batch storeCarefully(int partition, long token, List<StreamEntry> entries) {
        return ledger.transact((connection, ledgerState) ->
                store(connection, ledgerState, partition, token, entries, false));
    }

    private Batch store(Connection connection, LedgerState ledgerState, int partition, long token,
            List<StreamEntry> entries, boolean fast) throws SQLException {
        Batch batch = stored(connection, ledgerState, partition, token, entries, fast);
        retries.add(connection, partition, batch);
        return batch;
    }

    private Batch stored(Connection connection, LedgerState ledgerState, int partition, long token,
            List<StreamEntry> all, boolean fast) throws SQLException {
        Fence fence = Fence.take(connection, ledgerState, partition, token, highest(all));
        Batch batch = new Batch();
        // A new order could take a unit of one that was answered as confirmed, if Redis has lost
        // deductions too.
        List<StreamEntry> entries = fence.defers() ? batch.deferNumbered(all) : all;
        batch.reach(ledgerState.epoch(), highest(entries));
        Booking booking = new Booking(fence);
        List<Purchase> purchases = only(entries, Purchase.class);
        if (!purchases.isEmpty()) {
            // Numbers rise, so an order with a higher one than all stored orders was never stored.
            boolean isNew = purchases.stream().allMatch(one -> one.seq() > fence.seq());
            orders.store(connection, fence, purchases, fast && isNew, booking, batch);
        }
        List<Grab> grabbed = only(entries, Grab.class);
        if (!grabbed.isEmpty()) {
            grabs.store(connection, fence, grabbed, booking, batch);
        }
        only(entries, StreamEntry.Malformed.class)
                .forEach(malformed -> batch.fail(malformed, malformed.reason()));
        if (!booking.write(connection)) {
            throw new OrderStore.FastPathFailed();
        }
        return batch;
    }

    /** Whether new orders and grabs of a partition are deferred. */
    boolean defers(int partition) {
        return ledger.transact((connection, ledgerState) -> Deferral.waits(connection, partition));
    }

    private static long highest(List<StreamEntry> entries) {
        return entries.stream().mapToLong(StreamEntry::seq).max().orElse(0);
    }

    /**
     * Retries what is due, each in its own transaction. A refused order stays due until its result
     * was received, because nothing else would mark it in Redis.
     *
     * @param tried receives the result of each, before the next one is retried
     * @return milliseconds until the next retry is due; null if there is none
     */
    @Nullable Long retry(int partition, long token, BiConsumer<StreamEntry, Batch> tried) {
        List<Retries.Due> due = ledger.transact((connection, ledgerState) ->
                retries.due(connection, partition));
        due.forEach(one -> {
            Batch batch = retry(partition, token, one);
            tried.accept(one.entry(), batch);
            if (batch.refusesOrder()) {
                ledger.transactOrNull((connection, ledgerState) -> {
                    retries.done(connection, one);
                    return null;
                });
            }
        });
        return ledger.transactOrNull((connection, ledgerState) ->
                retries.next(connection, partition));
    }

    private Batch retry(int partition, long token, Retries.Due due) {
        try {
            return ledger.transact((connection, ledgerState) -> {
                Batch batch = stored(connection, ledgerState, partition, token,
                        List.of(due.entry()), false);
                batch.postponeDeferred();
                if (due.entry() instanceof Purchase purchase) {
                    orders.holdLate(connection, ledgerState, partition, purchase);
                }
                retries.tried(connection, partition, due, batch);
                return batch;
            });
        } catch (LedgerFailure e) {
            if (e.isOutage()) {
                throw e;
            }
            return ledger.transact((connection, ledgerState) -> {
                Fence.take(connection, ledgerState, partition, token, 0);
                Batch batch = failed(ledgerState, due.entry(), e);
                retries.tried(connection, partition, due, batch);
                return batch;
            });
        }
    }

    private static Batch failed(LedgerState ledgerState, StreamEntry entry, LedgerFailure failure) {
        Batch batch = new Batch();
        batch.reach(ledgerState.epoch(), 0);
        batch.fail(entry, String.valueOf(failure.getMessage()));
        return batch;
    }

    private static <T extends StreamEntry> List<T> only(List<StreamEntry> entries, Class<T> kind) {
        return entries.stream().filter(kind::isInstance).map(kind::cast).toList();
    }
}
