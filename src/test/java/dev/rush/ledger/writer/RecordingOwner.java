package dev.rush.ledger.writer;

import dev.rush.redis.Partition;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Records what the reader reports to its writer. */
final class RecordingOwner implements PartitionReader.Owner {
    final ConcurrentLinkedQueue<Batch.Refused> refused =
            new ConcurrentLinkedQueue<>();
    final ConcurrentLinkedQueue<String> decided = new ConcurrentLinkedQueue<>();

    /** What the next call of each method throws. */
    final ConcurrentHashMap<String, Error> errors = new ConcurrentHashMap<>();

    volatile boolean watched;
    volatile long pauseMaxMs = 50;

    @Override
    public long pauseMaxMs(Partition partition) {
        return pauseMaxMs;
    }

    @Override
    public boolean isWatched(Partition partition) {
        return watched;
    }

    private void throwOnce(String method) {
        Error error = errors.remove(method);
        if (error != null) {
            throw error;
        }
    }

    @Override
    public void found(Partition partition) {
        throwOnce("found");
    }

    @Override
    public boolean isAwaited(StreamEntry entry) {
        return entry instanceof StreamEntry.Purchase;
    }

    @Override
    public void decided(Partition partition, String ids) {
        decided.add(ids);
    }

    @Override
    public void stored(Batch batch) {
        throwOnce("stored");
        refused.addAll(batch.refused());
    }
}
