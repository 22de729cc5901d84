package dev.rush.reconciliation.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.http.Json;
import dev.rush.http.OutcomeCode;
import dev.rush.ledger.TestJournal;
import dev.rush.testing.Environments;
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Reports beside the calls of payers and buyers. */
class ReportsTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    @Test
    @DisplayName("Slow reports, repairs and archivings take no thread that a confirmation needs")
    void slowReports() throws Exception {
        try (TestJournal test = new TestJournal(Environments.ledger().freshDatabase())) {
            Reports reports = new Reports(test.ledger, new Json());
            CountDownLatch slow = new CountDownLatch(1);
            List<CompletableFuture<Response>> answers = IntStream.range(0, 20).mapToObj(each ->
                    reports.answer(OutcomeCode.UNKNOWN_SALE, () -> waited(slow))).toList();
            try {
                assertThat(test.ledger.call((connection, ledgerState) -> "done"))
                        .succeedsWithin(SOON).isEqualTo("done");
            } finally {
                slow.countDown();
            }
            assertThat(answers).allSatisfy(answer -> assertThat(answer).succeedsWithin(SOON));
            reports.stop();
        }
    }

    private static Map<String, String> waited(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Map.of("sale", "s");
    }
}
