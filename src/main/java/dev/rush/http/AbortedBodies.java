package dev.rush.http;

import jakarta.inject.Singleton;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jboss.logging.Logger;

/**
 * Counts requests whose clients disconnected before the body was complete. Logs at most one line a
 * minute.
 */
@Singleton
public class AbortedBodies {

    private static final Logger LOG = Logger.getLogger(AbortedBodies.class);
    private static final long LOG_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongAdder all = new LongAdder();
    private final AtomicLong lastLine = new AtomicLong(System.nanoTime() - LOG_INTERVAL_NANOS);

    void count() {
        all.increment();
        long last = lastLine.get();
        long now = System.nanoTime();
        if (now - last >= LOG_INTERVAL_NANOS && lastLine.compareAndSet(last, now)) {
            LOG.infof("A client disconnected before its request body was complete; %d have since "
                    + "the start. This is logged at most once a minute.", all.sum());
        }
    }
}
