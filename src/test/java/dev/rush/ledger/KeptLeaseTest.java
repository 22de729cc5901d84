package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.testing.Await;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A duty that lasts as long as its work, on a real PostgreSQL. */
class KeptLeaseTest {
    private static final String LEASE = "repair s";
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static EmbeddedLedger postgres;
    private static TestJournal test;

    private final CountDownLatch renewing = new CountDownLatch(2);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @BeforeAll
    static void start() {
        postgres = EmbeddedLedger.start();
        test = new TestJournal(postgres.freshDatabase());
    }

    @AfterAll
    static void stop() throws Exception {
        test.close();
        postgres.close();
    }

    @BeforeEach
    void nobodyHasIt() {
        test.sql("DELETE FROM duties");
    }

    private static LeaderLease pod() {
        return new LeaderLease(test.ledger, () -> false, Set::of);
    }

    /** A pod whose second look at what it may do waits, as on a slow machine. */
    private LeaderLease podThatPauses() {
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
                // The renewal's thread is interrupted by the end of the duty. A statement that is
                // under way goes on all the same.
            }
        }
    }

    @Test
    void itIsRenewedForAsLongAsTheWorkTakes() {
        try (KeptLease kept = KeptLease.take(pod(), LEASE, 400)) {
            assertThat(KeptLease.take(pod(), LEASE, 400)).isNull();
            String until = test.sql("SELECT until FROM duties");
            Await.until("it is renewed", LIMIT,
                    () -> !test.sql("SELECT until FROM duties").equals(until));
            assertThat(kept.renew()).isTrue();
        }
        try (KeptLease next = KeptLease.take(pod(), LEASE, 400)) {
            assertThat(next).as("it was given back at once").isNotNull();
        }
    }

    @Test
    void renewalThatIsUnderWayAtTheEndDoesNotTakeItAgain() throws Exception {
        KeptLease kept = KeptLease.take(podThatPauses(), LEASE, 400);
        renewing.await();
        Thread end = new Thread(kept::close);
        end.start();
        Await.until("the end waits, or is over", LIMIT,
                () -> end.getState() == Thread.State.BLOCKED || !end.isAlive());
        goOn.countDown();
        end.join();
        assertThat(kept.renew()).isFalse();
        assertThat(test.sql("SELECT count(*) FROM duties")).isEqualTo("0");
    }

    @Test
    void itIsLeftToLapseWhereTheSamePodIsToGoOn() {
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
