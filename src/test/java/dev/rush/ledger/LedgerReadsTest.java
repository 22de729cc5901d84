package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.http.Word;
import dev.rush.testing.Environments;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LedgerReadsTest {

    private static void assertRefused(CompletableFuture<Integer> call) {
        assertThat(call).isDone();
        assertThatThrownBy(call::join).rootCause().hasMessage(Word.UNAVAILABLE.text());
    }

    @Test
    @DisplayName("Reads that wait for a thread never keep a change out")
    void readsLeavePlacesForChanges() throws Exception {
        try (TestJournal test = new TestJournal(Environments.ledger().freshDatabase(),
                SqlRewrite.NONE, Map.of("rush.ledger.threads", "1", "rush.ledger.queue", "4"))) {
            CountDownLatch busy = new CountDownLatch(1);
            CompletableFuture<Boolean> first = test.ledger.run(() -> held(busy));
            CompletableFuture<Integer> read = read(test.ledger, 1);
            CompletableFuture<Integer> lastRead = read(test.ledger, 2);
            assertRefused(read(test.ledger, 3));
            CompletableFuture<Integer> change = change(test.ledger, 4);
            CompletableFuture<Integer> lastChange = change(test.ledger, 5);
            assertRefused(change(test.ledger, 6));
            busy.countDown();
            assertThat(first.join()).isTrue();
            assertThat(read.join() + lastRead.join() + change.join() + lastChange.join())
                    .isEqualTo(1 + 2 + 4 + 5);
            assertThat(read(test.ledger, 7).join()).isEqualTo(7);
        }
    }

    private static CompletableFuture<Integer> read(Ledger ledger, int result) {
        return ledger.read((connection, ledgerState) -> result);
    }

    private static CompletableFuture<Integer> change(Ledger ledger, int result) {
        return ledger.call((connection, ledgerState) -> result);
    }

    private static boolean held(CountDownLatch latch) {
        try {
            latch.await();
            return true;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
