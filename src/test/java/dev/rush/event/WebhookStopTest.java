package dev.rush.event;

import static dev.rush.event.WebhookScene.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.TestJournal;
import dev.rush.testing.Environments;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The leading pod of the webhooks stops. */
class WebhookStopTest {
    private static TestJournal journal;

    @BeforeAll
    static void start() {
        journal = new TestJournal(Environments.ledger().freshDatabase());
    }

    @AfterAll
    static void stop() throws Exception {
        journal.close();
    }

    @Test
    @DisplayName("E1: a renewal that is under way when the pod stops does not take the lease again")
    void stopsForGood() throws Exception {
        try (WebhookScene scene = new WebhookScene(journal, "rush.webhooks.timeout", "PT1S")) {
            await("it leads", () -> leases().equals("1"));
            CompletableFuture<Thread> renewing = new CompletableFuture<>();
            CountDownLatch goOn = new CountDownLatch(1);
            scene.renewing = () -> {
                renewing.complete(Thread.currentThread());
                awaitDespiteInterrupts(goOn);
            };
            Thread renewal = renewing.join();
            Thread stop = new Thread(scene::stop);
            stop.start();
            await("the stop has ended, or waits", () ->
                    stop.getState() == Thread.State.BLOCKED || !stop.isAlive());
            goOn.countDown();
            stop.join();
            renewal.join();
            assertThat(leases()).isEqualTo("0");
        }
    }

    private static String leases() {
        return journal.sql("SELECT count(*) FROM leader_leases");
    }

    /** Stopping interrupts a renewal, but a running statement goes on. */
    private static void awaitDespiteInterrupts(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
