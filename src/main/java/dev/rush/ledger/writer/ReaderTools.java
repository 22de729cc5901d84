package dev.rush.ledger.writer;

import dev.rush.WriterConfig;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Collaborators of the partition readers.
 *
 * @param scheduler runs delayed tasks and continuations of Redis calls
 * @param workers   run tasks that wait for the ledger
 */
record ReaderTools(OrderStream stream, BatchStore store, ScheduledExecutorService scheduler,
        ExecutorService workers, WriterConfig config) {
}
