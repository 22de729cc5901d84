package dev.rush.ledger.writer;

import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.Standing;
import dev.rush.ledger.writer.StreamEntry.Grab;
import dev.rush.ledger.writer.StreamEntry.Purchase;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Entries of one partition, each batch in one transaction under the partition's lease. When a call
 * returns, every order is in the ledger, refused, or among what is tried again, so that its entry
 * can leave the stream.
 */
@Singleton
class BatchStore {

    private final Ledger ledger;
    private final OrderStore orders;
    private final GrabStore grabs;
    private final Retries retries;

    /** What came of retries, and in how many milliseconds the next one is due; null for none. */
    record Retried(Batch batch, List<StreamEntry> tried, Long nextMs) {
    }

    @Inject
    BatchStore(Ledger ledger, OrderStore orders, GrabStore grabs, Retries retries) {
        this.ledger = ledger;
        this.orders = orders;
        this.grabs = grabs;
        this.retries = retries;
    }

    /**
     * Stores a batch. One that fails because of one row's own fault is taken apart.
     *
     * @throws LedgerFailure for an outage: nothing is known to be stored, all may be tried again
     * @throws Fence.Fenced  if the token is not the partition's any more
     */
    Batch store(int partition, long token, List<StreamEntry> entries) {
        try {
            Batch batch = storeOnce(partition, token, entries);
            orders.committed(only(entries, Purchase.class));
            return batch;
        } catch (LedgerFailure e) {
            if (e.isOutage()) {
                throw e;
            }
            if (entries.size() == 1) {
                return ledger.transact((connection, standing) -> {
                    Fence.take(connection, standing, partition, token, 0);
                    Batch batch = failed(standing, entries.get(0), e);
                    retries.add(connection, partition, batch);
                    return batch;
                });
            }
            // Halves, so that one bad row among many costs few transactions.
            int middle = entries.size() / 2;
            Batch batch = store(partition, token, entries.subList(0, middle));
            batch.add(store(partition, token, entries.subList(middle, entries.size())));
            return batch;
        }
    }

    /** Takes the orders for new, and looks closer if that was wrong. */
    private Batch storeOnce(int partition, long token, List<StreamEntry> entries) {
        try {
            return ledger.transact((connection, standing) ->
                    store(connection, standing, partition, token, entries, true));
        } catch (OrderStore.NotNew e) {
            return storeCarefully(partition, token, entries);
        } catch (LedgerFailure e) {
            if (!e.isConflict()) {
                throw e;
            }
            return storeCarefully(partition, token, entries);
        }
    }

    private Batch storeCarefully(int partition, long token, List<StreamEntry> entries) {
        return ledger.transact((connection, standing) ->
                store(connection, standing, partition, token, entries, false));
    }

    private Batch store(Connection connection, Standing standing, int partition, long token,
            List<StreamEntry> entries, boolean fast) throws SQLException {
        Batch batch = stored(connection, standing, partition, token, entries, fast);
        retries.add(connection, partition, batch);
        return batch;
    }

    private Batch stored(Connection connection, Standing standing, int partition, long token,
            List<StreamEntry> entries, boolean fast) throws SQLException {
        long highest = entries.stream().mapToLong(StreamEntry::seq).max().orElse(0);
        Fence fence = Fence.take(connection, standing, partition, token, highest);
        Batch batch = new Batch();
        batch.reach(standing.epoch(), highest);
        Booking booking = new Booking(fence);
        List<Purchase> purchases = only(entries, Purchase.class);
        if (!purchases.isEmpty()) {
            // Numbers rise, so what has a higher one than all that is stored was never stored.
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
            throw new OrderStore.NotNew();
        }
        return batch;
    }

    /** Tries again what is due, each in a transaction of its own. */
    Retried retry(int partition, long token) {
        List<Retries.Due> due = ledger.transact((connection, standing) ->
                retries.due(connection, partition));
        Batch batch = new Batch();
        due.forEach(one -> batch.add(retry(partition, token, one)));
        List<StreamEntry> tried = due.stream().map(Retries.Due::entry).toList();
        return new Retried(batch, tried, ledger.transact((connection, standing) ->
                retries.next(connection, partition)));
    }

    private Batch retry(int partition, long token, Retries.Due due) {
        try {
            return ledger.transact((connection, standing) -> {
                Batch batch = stored(connection, standing, partition, token,
                        List.of(due.entry()), false);
                if (due.entry() instanceof Purchase purchase) {
                    orders.holdLate(connection, standing, partition, purchase);
                }
                retries.tried(connection, partition, due, batch);
                return batch;
            });
        } catch (LedgerFailure e) {
            if (e.isOutage()) {
                throw e;
            }
            return ledger.transact((connection, standing) -> {
                Fence.take(connection, standing, partition, token, 0);
                Batch batch = failed(standing, due.entry(), e);
                retries.tried(connection, partition, due, batch);
                return batch;
            });
        }
    }

    private static Batch failed(Standing standing, StreamEntry entry, LedgerFailure failure) {
        Batch batch = new Batch();
        batch.reach(standing.epoch(), 0);
        batch.fail(entry, failure.getMessage());
        return batch;
    }

    private static <T extends StreamEntry> List<T> only(List<StreamEntry> entries, Class<T> kind) {
        return entries.stream().filter(kind::isInstance).map(kind::cast).toList();
    }
}
