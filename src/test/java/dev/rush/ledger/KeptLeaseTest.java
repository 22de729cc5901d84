package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A lease that is kept as long as the work takes, on a real PostgreSQL. */
class KeptLeaseTest {
    private static final String LEASE = "repair s";
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static TestJournal test;

    private final CountDownLatch renewing = new CountDownLatch(2);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @BeforeAll
    static void start() {
        test = new TestJournal(Environments.ledger().freshDatabase());
    }

    @AfterAll
    static void stop() throws Exception {
        test.close();
    }

    @BeforeEach
    void deleteLeases() {
        test.sql("DELETE FROM leader_leases");
    }

    private static LeaderLease pod() {
        return new LeaderLease(test.ledger, () -> false, Set::of);
    }

    /** A pod that hangs in its second renewal, as on a slow machine. */
    private LeaderLease podThatHangs() {
        return new LeaderLease(test.ledger, () -> {
            renewing.countDown();
            if (renewing.getCount() == 0) {
                awaitGoOn();
            }
            return false;
        }, Set::of);
    }

    private void awaitGoOn() {
        while (goOn.getCount() > 0) {
            try {
                goOn.await();
            } catch (InterruptedException e) {
                // Closing interrupts the renewal's thread, but a running statement goes on.
            }
        }
    }

    @Test
    void leaseIsRenewedUntilItIsClosed() {
        try (KeptLease kept = KeptLease.take(pod(), LEASE, 4_000)) {
            assertThat(KeptLease.take(pod(), LEASE, 4_000)).isNull();
            String until = test.sql("SELECT until FROM leader_leases");
            Await.until("it is renewed", LIMIT,
                    () -> !test.sql("SELECT until FROM leader_leases").equals(until));
            assertThat(kept.renew()).isTrue();
        }
        try (KeptLease next = KeptLease.take(pod(), LEASE, 4_000)) {
            assertThat(next).as("released at once").isNotNull();
        }
    }

    @Test
    void runningRenewalDoesNotTakeTheLeaseAfterClose() throws Exception {
        KeptLease kept = KeptLease.take(podThatHangs(), LEASE, 400);
        renewing.await();
        Thread end = new Thread(kept::close);
        end.start();
        Await.until("closing waits, or is done", LIMIT,
                () -> end.getState() == Thread.State.BLOCKED || !end.isAlive());
        goOn.countDown();
        end.join();
        assertThat(kept.renew()).isFalse();
        assertThat(test.sql("SELECT count(*) FROM leader_leases")).isEqualTo("0");
    }

    @Test
    void lapsingLeaseCanOnlyBeTakenByTheSamePod() {
        LeaderLease pod = pod();
        try (KeptLease kept = KeptLease.take(pod, LEASE, 60_000)) {
            kept.lapse();
            assertThat(kept.renew()).isFalse();
        }
        assertThat(KeptLease.take(pod(), LEASE, 60_000)).isNull();
        try (KeptLease again = KeptLease.take(pod, LEASE, 60_000)) {
            assertThat(again).isNotNull();
        }
    }
}
