package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.http.OutcomeCode;
import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LedgerThreadsTest {

    private static void assertRefused(CompletableFuture<Integer> call) {
        assertThat(call).isDone();
        assertThatThrownBy(call::join).rootCause().hasMessage(OutcomeCode.UNAVAILABLE.text());
    }

    @Test
    @DisplayName("Changes proceed while hanging reads fill their threads and their queue")
    void readsLeaveThreadsForChanges() throws Exception {
        try (TestJournal test = new TestJournal(Environments.ledger().freshDatabase(),
                SqlRewrite.NONE, Map.of("rush.ledger.threads", "4", "rush.ledger.queue", "4"))) {
            CountDownLatch hang = new CountDownLatch(1);
            AtomicInteger begun = new AtomicInteger();
            List<CompletableFuture<Integer>> reads = IntStream.range(0, 4)
                    .mapToObj(i -> test.ledger.read((connection, ledgerState) -> {
                        begun.incrementAndGet();
                        return blocked(hang, i);
                    })).toList();
            assertRefused(test.ledger.read((connection, ledgerState) -> 4));
            Await.until("two reads have begun", Duration.ofSeconds(5), () -> begun.get() == 2);
            assertThat(change(test.ledger, 5).join()).isEqualTo(5);
            assertThat(begun).hasValue(2);
            assertThat(reads).noneMatch(CompletableFuture::isDone);
            hang.countDown();
            assertThat(reads).extracting(CompletableFuture::join).containsExactly(0, 1, 2, 3);
        }
    }

    @Test
    @DisplayName("Lookups occupy one thread, however many hang, and beyond a hundred are refused")
    void lookupsLeaveThreads() throws Exception {
        try (TestJournal test = new TestJournal(Environments.ledger().freshDatabase(),
                SqlRewrite.NONE, Map.of("rush.ledger.threads", "2"))) {
            CountDownLatch hang = new CountDownLatch(1);
            List<CompletableFuture<Integer>> lookups = IntStream.range(0, 101)
                    .mapToObj(i -> test.ledger.lookUp((connection, ledgerState) ->
                            blocked(hang, i))).toList();
            assertRefused(test.ledger.lookUp((connection, ledgerState) -> 101));
            assertThat(change(test.ledger, 5).join()).isEqualTo(5);
            assertThat(lookups).noneMatch(CompletableFuture::isDone);
            hang.countDown();
            assertThat(lookups).extracting(CompletableFuture::join).hasSize(101);
        }
    }

    @Test
    @DisplayName("Reads proceed while hanging changes fill their threads and their queue")
    void changesLeaveAThreadForReads() throws Exception {
        try (TestJournal test = new TestJournal(Environments.ledger().freshDatabase(),
                SqlRewrite.NONE, Map.of("rush.ledger.threads", "3", "rush.ledger.queue", "2"))) {
            CountDownLatch hang = new CountDownLatch(1);
            List<CompletableFuture<Integer>> changes = IntStream.range(0, 4)
                    .mapToObj(i -> test.ledger.run(() -> blocked(hang, i))).toList();
            assertThat(test.ledger.read((connection, ledgerState) -> 5).join()).isEqualTo(5);
            assertThat(changes).noneMatch(CompletableFuture::isDone);
            hang.countDown();
            assertThat(changes).extracting(CompletableFuture::join).containsExactly(0, 1, 2, 3);
        }
    }

    @Test
    @DisplayName("A change that finds the queue full is refused")
    void changesAreBounded() throws Exception {
        try (TestJournal test = new TestJournal(Environments.ledger().freshDatabase(),
                SqlRewrite.NONE, Map.of("rush.ledger.threads", "1", "rush.ledger.queue", "1"))) {
            CountDownLatch hang = new CountDownLatch(1);
            CompletableFuture<Integer> first = test.ledger.run(() -> blocked(hang, 1));
            CompletableFuture<Integer> second = change(test.ledger, 2);
            assertRefused(change(test.ledger, 3));
            hang.countDown();
            assertThat(first.join() + second.join()).isEqualTo(3);
        }
    }

    private static CompletableFuture<Integer> change(Ledger ledger, int result) {
        return ledger.call((connection, ledgerState) -> result);
    }

    private static int blocked(CountDownLatch latch, int result) {
        try {
            latch.await();
            return result;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
