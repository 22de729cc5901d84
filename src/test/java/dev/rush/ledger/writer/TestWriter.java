package dev.rush.ledger.writer;

import dev.rush.http.Json;
import dev.rush.ledger.PeriodicTask;
import dev.rush.ledger.TestJournal;
import dev.rush.redis.Partition;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;
import dev.rush.testing.Await;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Moves the entries of a partition's stream into a journal until it is closed. */
public final class TestWriter implements AutoCloseable {
    private static final int ENTRIES_MAX = 1_000;
    private static final long PAUSE_MS = 5;
    private static final Duration POLLED = Duration.ofSeconds(10);

    private final StoreScene scene;
    private final OrderStream stream;
    private final Partition partition;
    private final AtomicInteger polls = new AtomicInteger();
    private final PeriodicTask task = new PeriodicTask("test-writer", PAUSE_MS, this::write);

    public TestWriter(TestJournal journal, RedisCommands redis, Partition partition) {
        this.scene = new StoreScene(journal, partition.index());
        this.stream = new OrderStream(redis, null);
        this.partition = partition;
        task.start();
    }

    /** What stores ended orders in a journal. */
    public static EndedOrders endedOrders(TestJournal journal) {
        return new EndedOrders(new SaleTerms(journal.config, new Json()));
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
        polls.incrementAndGet();
        return false;
    }

    /** Waits until it has read the stream twice, so that an entry found there was tried. */
    public void awaitPolls() {
        int before = polls.get();
        Await.until("the stream is read", POLLED, () -> polls.get() >= before + 2);
    }

    @Override
    public void close() {
        task.close();
    }
}
