package dev.rush.order;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** One transaction for a batch of entries of one partition, under the partition's lease. */
@Singleton
class BatchStore {

    private final Ledger ledger;
    private final OrderRows orders;
    private final GrabRows grabs;

    @Inject
    BatchStore(Ledger ledger, OrderRows orders, GrabRows grabs) {
        this.ledger = ledger;
        this.orders = orders;
        this.grabs = grabs;
    }

    /** The partition is another writer's by now. Nothing was stored. */
    static final class Fenced extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Fenced() {
            super("another writer has the partition", null, false, false);
        }
    }

    /**
     * Stores a batch. A batch that fails because of one row's own fault is taken apart.
     *
     * @throws LedgerFailure for an outage: nothing is known to be stored, all may be tried again
     * @throws Fenced        if the token is not the partition's any more
     */
    Batch store(int partition, long token, List<StreamEntry> entries) {
        Batch batch = new Batch();
        store(partition, token, entries, batch);
        return batch;
    }

    private void store(int partition, long token, List<StreamEntry> entries, Batch batch) {
        try {
            Batch done = storeOnce(partition, token, entries);
            done.settled().forEach(batch::settle);
            done.failed().forEach(batch::fail);
            done.rejections().forEach(batch::reject);
        } catch (LedgerFailure e) {
            if (e.isOutage()) {
                throw e;
            }
            if (entries.size() == 1) {
                batch.fail(entries.get(0), e.getMessage());
                return;
            }
            // Halves, so that one bad row among many costs few transactions.
            int middle = entries.size() / 2;
            store(partition, token, entries.subList(0, middle), batch);
            store(partition, token, entries.subList(middle, entries.size()), batch);
        }
    }

    /** Takes the orders for new, and looks closer if that was wrong. */
    private Batch storeOnce(int partition, long token, List<StreamEntry> entries) {
        try {
            return ledger.transact(connection ->
                    store(connection, partition, token, entries, true));
        } catch (LedgerFailure e) {
            if (!e.isConflict()) {
                throw e;
            }
            return ledger.transact(connection ->
                    store(connection, partition, token, entries, false));
        }
    }

    private Batch store(Connection connection, int partition, long token,
            List<StreamEntry> entries, boolean allNew) throws SQLException {
        if (!Leases.fence(connection, partition, token, highest(entries))) {
            throw new Fenced();
        }
        Batch batch = new Batch();
        List<StreamEntry.Purchase> purchases = only(entries, StreamEntry.Purchase.class);
        if (!purchases.isEmpty()) {
            orders.store(connection, partition, purchases, allNew, batch);
        }
        List<StreamEntry.Grab> grabbed = only(entries, StreamEntry.Grab.class);
        if (!grabbed.isEmpty()) {
            grabs.store(connection, partition, grabbed, batch);
        }
        only(entries, StreamEntry.Malformed.class)
                .forEach(malformed -> batch.fail(malformed, malformed.reason()));
        return batch;
    }

    private static long highest(List<StreamEntry> entries) {
        long highest = 0;
        for (StreamEntry entry : entries) {
            if (entry instanceof StreamEntry.Purchase purchase) {
                highest = Math.max(highest, purchase.seq());
            } else if (entry instanceof StreamEntry.Grab grab) {
                highest = Math.max(highest, grab.seq());
            }
        }
        return highest;
    }

    private static <T extends StreamEntry> List<T> only(List<StreamEntry> entries, Class<T> kind) {
        return entries.stream().filter(kind::isInstance).map(kind::cast).toList();
    }
}
