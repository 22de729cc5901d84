package dev.rush.ledger.writer;

import dev.rush.WriterConfig;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;

/**
 * What the readers of partitions work with.
 *
 * @param scheduler runs what waits for a moment or for Redis
 * @param workers   run what waits for the ledger
 */
record ReaderTools(OrderStream stream, BatchStore store, ScheduledExecutorService scheduler,
        ExecutorService workers, WriterConfig config) {
}
