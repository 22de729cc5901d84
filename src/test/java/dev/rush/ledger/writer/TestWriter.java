package dev.rush.ledger.writer;

import dev.rush.ledger.PeriodicTask;
import dev.rush.ledger.TestJournal;
import dev.rush.redis.Partition;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;

/** Moves the entries of partition 0's stream into a journal until it is closed. */
public final class TestWriter implements AutoCloseable {
    private static final int ENTRIES_MAX = 1_000;
    private static final long PAUSE_MS = 5;

    private final StoreScene scene;
    private final OrderStream stream;
    private final Partition partition;
    private final PeriodicTask task = new PeriodicTask("test-writer", PAUSE_MS, this::write);

    public TestWriter(TestJournal journal, RedisCommands redis, Partition partition) {
        this.scene = new StoreScene(journal);
        this.stream = new OrderStream(redis, null);
        this.partition = partition;
        task.start();
    }

    private boolean write() {
        Reply read = stream.read(partition, OrderStream.START, ENTRIES_MAX).join();
        OrderStream.Part part = OrderStream.Part.of(read);
        if (part.entries() > 0) {
            Batch batch = scene.store(part.orders().toArray(StreamEntry[]::new));
            stream.acknowledge(partition, batch, batch.withoutDeferred(part.orders()).stream()
                    .map(StreamEntry::id).distinct().toList(), "").join();
        }
        scene.retry();
        return false;
    }

    @Override
    public void close() {
        task.close();
    }
}
