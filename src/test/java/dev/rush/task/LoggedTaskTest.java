package dev.rush.task;

import dev.rush.testing.Await;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What follows a round that fails. */
class LoggedTaskTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @Test
    void taskThatThrowsAnErrorIsRunAgain() {
        ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
        AtomicInteger rounds = new AtomicInteger();
        try {
            scheduler.scheduleWithFixedDelay(new LoggedTask("test", () -> {
                rounds.incrementAndGet();
                throw new OutOfMemoryError("unable to create native thread, says the test");
            }), 0, 1, TimeUnit.MILLISECONDS);
            Await.until("a third round", LIMIT, () -> rounds.get() > 2);
        } finally {
            scheduler.shutdownNow();
        }
    }
}
