package dev.rush.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.http.Caller;
import dev.rush.http.OutcomeCode;
import dev.rush.http.ProblemException;
import dev.rush.ledger.Actor;
import dev.rush.order.Returns.Result;
import dev.rush.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Returns of orders of retired sales, which may be archived at the same time. */
class RetiredReturnsTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static TestLife test;

    @BeforeAll
    static void start() {
        test = new TestLife();
    }

    @AfterAll
    static void stop() throws Exception {
        test.close();
    }

    private static Result giveBack(String sale, UUID order) {
        return test.returns.byOrder(sale, Caller.actingFor("u", false), new Actor("buyer:u"),
                order.toString()).join();
    }

    /** Returns an order that is changed after the return has read it. */
    private static void refusedAfter(String change) throws SQLException {
        String sale = test.sale(1);
        UUID order = test.order(sale, "k", 0);
        test.journal.sql("UPDATE sales SET state = 'retired' WHERE sale = '" + sale + "'");
        try (Connection operator = test.journal.connect();
                Statement statement = operator.createStatement()) {
            statement.execute("SELECT FROM sales WHERE sale = '" + sale + "' FOR UPDATE");
            CompletableFuture<Result> returned =
                    CompletableFuture.supplyAsync(() -> giveBack(sale, order));
            Await.until("the return waits", SOON, () ->
                    !test.journal.sql("SELECT count(*) FROM pg_stat_activity WHERE datname ="
                            + " current_database() AND wait_event_type = 'Lock'").equals("0"));
            statement.execute(change.formatted(sale));
            operator.commit();
            assertThat(returned.join()).isInstanceOfSatisfying(Result.Refused.class, refused ->
                    assertThat(refused.problem().code()).isEqualTo(OutcomeCode.UNKNOWN_ORDER));
        }
        assertThat(test.steps(order)).isNull();
    }

    @Test
    @DisplayName("A2: an order that is being archived is not returned")
    void archived() throws SQLException {
        refusedAfter("UPDATE sales SET state = 'archived' WHERE sale = '%s'");
    }

    @Test
    @DisplayName("A2: a return that began before its user was erased does not name the user")
    void erased() throws SQLException {
        refusedAfter("UPDATE orders SET user_id = 'erased-1' WHERE sale = '%s'");
    }

    @Test
    @DisplayName("A2: an order of a retired sale can be returned until it is archived")
    void ofRetiredSale() {
        String sale = test.sale(1);
        UUID order = test.order(sale, "k", 0);
        test.journal.sql("UPDATE sales SET state = 'retired' WHERE sale = '" + sale + "'");
        assertThat(giveBack(sale, order)).isInstanceOf(Result.Returned.class);
    }

    private static void isUnknown(String sale) {
        UUID order = UUID.randomUUID();
        assertThat(test.statuses.ownerIfComplete(sale, order).join()).isNull();
        assertThat(giveBack(sale, order)).isInstanceOfSatisfying(Result.Refused.class, refused ->
                assertThat(refused.problem().code()).isEqualTo(OutcomeCode.UNKNOWN_ORDER));
    }

    private static void mayExist(String sale) {
        UUID order = UUID.randomUUID();
        assertThatThrownBy(() -> test.statuses.ownerIfComplete(sale, order).join()).cause()
                .isInstanceOfSatisfying(ProblemException.class, problem -> assertThat(
                        problem.problem().code()).isEqualTo(OutcomeCode.UNAVAILABLE));
        assertThat(giveBack(sale, order)).isInstanceOf(Result.Parked.class);
    }

    @Test
    @DisplayName("R3: an order that no store knows is unknown to lookups and returns, unless the "
            + "ledger may lack orders of its sale; it lacks none of a retired sale")
    void unknownOrder() {
        String open = test.sale(1);
        String retired = test.sale(1);
        test.journal.sql("UPDATE sales SET state = 'retired' WHERE sale = '" + retired + "'");
        isUnknown(open);
        isUnknown(retired);
        test.journal.sql("UPDATE partitions SET behind_since = now()");
        mayExist(open);
        isUnknown(retired);
        test.journal.sql("UPDATE partitions SET behind_since = NULL");
        test.journal.sql("UPDATE ledger SET server = 0");
        mayExist(open);
        isUnknown(retired);
        test.journal.check();
    }
}
