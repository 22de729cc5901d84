package dev.rush.reconciliation.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.ledger.LeaderLease;
import dev.rush.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Archiving a month while others change the ledger. */
class ArchiveLocksTest extends OnSoldMonth {
    private static final Duration SOON = Duration.ofSeconds(30);

    @Test
    @DisplayName("A2: an archive run waits for a return that is under way, and counts it")
    void returnUnderWay() throws SQLException {
        retire();
        try (Connection buyer = test.connect()) {
            run(buyer, "SELECT 1 FROM sales FOR SHARE");
            CompletableFuture<Problem> refused =
                    CompletableFuture.supplyAsync(() -> refused(MONTH));
            awaitWaiting();
            run(buyer, "INSERT INTO credits SELECT 0, now(), id, month, 1, false, '', sale,"
                    + " user_id, lines FROM orders");
            buyer.commit();
            assertThat(refused.join().code()).isEqualTo(OutcomeCode.NOT_RETIRED);
        }
        assertThat(test.sql("SELECT state FROM sales")).isEqualTo("retired");
    }

    private void awaitWaiting() {
        Await.until("a statement waits for a lock", SOON, () -> !test.sql("SELECT count(*)"
                + " FROM pg_stat_activity WHERE datname = current_database()"
                + " AND wait_event_type = 'Lock'").equals("0"));
    }

    @Test
    @DisplayName("Only one month at a time can be archived by a pod")
    void oneAtATimeByAPod() throws SQLException {
        retire();
        CompletableFuture<Archive.Month> first;
        try (Connection buyer = test.connect()) {
            run(buyer, "SELECT 1 FROM sales FOR SHARE");
            first = CompletableFuture.supplyAsync(() -> archive.archive(MONTH, ANN));
            awaitWaiting();
            assertThat(refused("2026-02").code()).isEqualTo(OutcomeCode.UNAVAILABLE);
            buyer.commit();
        }
        assertArchived(first.join());
    }

    @Test
    @DisplayName("Only one pod at a time can archive a month")
    void onePodAtATime() {
        retire();
        new LeaderLease(test.ledger, () -> false, Set::of).take("archive", 60_000);
        assertThat(refused(MONTH).code()).isEqualTo(OutcomeCode.UNAVAILABLE);
        assertThat(attached()).isEqualTo("6");
    }
}
