package dev.rush.order;

import dev.rush.WriterConfig;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;

/**
 * What the readers of partitions work with.
 *
 * @param scheduler runs what waits for a moment or for Redis
 * @param workers   run what waits for the ledger
 */
record ReaderTools(OrderStream stream, BatchStore store, DeadLetters deadLetters,
        ScheduledExecutorService scheduler, ExecutorService workers, WriterConfig config) {

    /** The pause after the first failure of an order; it doubles with each further failure. */
    long retryMs() {
        return Math.max(1, config.retry().toMillis());
    }
}
