package dev.rush.ledger.writer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Await;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a partition's stream is polled. */
class PollTimerTest {
    private static final Duration SOON = Duration.ofSeconds(10);

    private final AtomicReference<Thread> thread = new AtomicReference<>();
    private final ScheduledThreadPoolExecutor scheduler =
            new ScheduledThreadPoolExecutor(1, task -> {
                thread.set(new Thread(task, "poll-timer-test"));
                return thread.get();
            }) {

                @Override
                public ScheduledFuture<?> schedule(Runnable task, long pause, TimeUnit unit) {
                    pauseMs = unit.toMillis(pause);
                    return super.schedule(task, pause, unit);
                }
            };
    private final AtomicInteger polls = new AtomicInteger();
    private final PollTimer timer = new PollTimer(scheduler, () -> 50, this::poll);
    private volatile @Nullable Error failure;
    /** Of the last poll that was scheduled. */
    private volatile long pauseMs;

    private void poll() {
        polls.incrementAndGet();
        if (failure != null) {
            throw failure;
        }
    }

    @AfterEach
    void end() {
        scheduler.shutdownNow();
    }

    @Test
    void cancelledPollThatHasJustBegunDoesNotRun() throws Exception {
        timer.start();
        Await.until("the first poll", SOON, () -> polls.get() == 1);
        synchronized (timer) {
            timer.backOff(Long.MAX_VALUE);
            Await.until("the second one begins, and waits for us", SOON, () ->
                    thread.get().getState() == Thread.State.BLOCKED);
            timer.wake();
        }
        Await.until("the second poll", SOON, () -> polls.get() >= 2);
        // Every other task that is due runs on the only thread before this one.
        scheduler.schedule(() -> { }, 0, TimeUnit.MILLISECONDS).get();
        assertThat(polls).hasValue(2);
    }

    @Test
    void pollThatThrowsAnErrorIsFollowedByAnother() {
        failure = new StackOverflowError("thrown by the test");
        timer.start();
        Await.until("a second poll", SOON, () -> polls.get() > 1);
    }

    @Test
    void wakingDuringAPollStartsAnotherSoon() {
        timer.start();
        Await.until("the first poll", SOON, () -> polls.get() == 1);
        timer.wake();
        timer.backOff(Long.MAX_VALUE);
        Await.until("the second poll", SOON, () -> polls.get() == 2);
    }

    @Test
    void retriesStartOverAfterASuccessfulPoll() {
        timer.start();
        Await.until("the first poll", SOON, () -> polls.get() == 1);
        for (int failures = 0; failures < 10; failures++) {
            timer.retryLater();
        }
        int before = polls.get();
        timer.backOff(Long.MAX_VALUE);
        Await.until("the next poll", SOON, () -> polls.get() > before);
        timer.retryLater();
        assertThat(pauseMs).isEqualTo(100);
    }
}
