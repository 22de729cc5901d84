package dev.rush.http;

import jakarta.inject.Singleton;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jboss.logging.Logger;

/**
 * Counts requests whose clients disconnected before the body was complete; logs at most one line a
 * minute.
 */
@Singleton
public class AbortedBodies {

    private static final Logger LOG = Logger.getLogger(AbortedBodies.class);
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongAdder all = new LongAdder();
    private final AtomicLong lastLine = new AtomicLong(System.nanoTime() - PAUSE_NANOS);

    void count() {
        all.increment();
        long last = lastLine.get();
        long now = System.nanoTime();
        if (now - last >= PAUSE_NANOS && lastLine.compareAndSet(last, now)) {
            LOG.infof("A client left before the body of its request was whole, as %d have since "
                    + "the start; this is said once a minute at most.", all.sum());
        }
    }
}
