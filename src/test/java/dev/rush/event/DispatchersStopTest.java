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

/** E1: a renewal that is under way when the pod stops does not take the lease again. */
class DispatchersStopTest {
    private static TestJournal journal;

    private final CompletableFuture<Thread> renewal = new CompletableFuture<>();
    private final CountDownLatch goOn = new CountDownLatch(1);

    @BeforeAll
    static void start() {
        journal = new TestJournal(Environments.ledger().freshDatabase());
    }

    @AfterAll
    static void stop() throws Exception {
        journal.close();
    }

    @Test
    @DisplayName("E1: the leading pod of the webhooks stops")
    void webhooks() throws Exception {
        try (WebhookScene scene = new WebhookScene(journal, "rush.webhooks.timeout", "PT1S")) {
            await("it leads", () -> leases().equals("1"));
            scene.beforeRenewal = this::hold;
            renewal.join();
            stop(scene::stop);
            assertThat(leases()).isEqualTo("0");
        }
    }

    @Test
    @DisplayName("E1: a pod stops as it begins to feed Kafka")
    void kafka() throws Exception {
        try (KafkaScene scene = new KafkaScene(journal, this::hold)) {
            renewal.join();
            stop(scene::close);
            assertThat(leases()).isEqualTo("0");
        }
    }

    private void stop(Runnable stop) throws InterruptedException {
        Thread stopping = new Thread(stop);
        stopping.start();
        await("the stop has ended, or waits", () ->
                stopping.getState() == Thread.State.BLOCKED || !stopping.isAlive());
        goOn.countDown();
        stopping.join();
        renewal.join().join();
    }

    private static String leases() {
        return journal.sql("SELECT count(*) FROM leader_leases");
    }

    /** Holds a renewal, and ignores interrupts meanwhile, as a running statement does. */
    private void hold() {
        renewal.complete(Thread.currentThread());
        boolean interrupted = false;
        while (goOn.getCount() > 0) {
            try {
                goOn.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
