package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.http.Caller;
import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Every pair of steps that may race for one order, on two connections: the second begins after the
 * first has written and before it commits. Then the first commits, or rolls back.
 */
class StepRacesTest {
    private static final Duration MET = Duration.ofSeconds(10);
    private static final Actor ACTOR = Actor.of(Caller.actingFor("u", false));
    private static TestJournal test;

    /** A change of an order; running it returns whether it was made. */
    private enum Deed {
        CONFIRM,
        RETURN,
        EXPIRE,
        CREDIT;

        boolean on(Connection connection, LedgerState ledgerState, String sale, UUID id)
                throws SQLException {
            Order order = OrderRows.find(connection, TestJournal.MONTH, sale, id);
            boolean open = !order.status().isEnded();
            boolean done = switch (this) {
                case CONFIRM -> order.status() == OrderStatus.RESERVED;
                case RETURN -> open;
                case EXPIRE -> true;
                case CREDIT -> !open;
            };
            if (done && this == CONFIRM) {
                Steps.confirm(connection, ledgerState, order, ACTOR, Payment.NONE);
            } else if (done && this == RETURN) {
                Steps.giveBack(connection, ledgerState, order, ACTOR, null);
            } else if (this == EXPIRE) {
                done = !Steps.expire(connection, ledgerState, 0, Long.MAX_VALUE, 9).isEmpty();
            } else if (done) {
                List<OwedCredit> owed = List.of(new OwedCredit(id, TestJournal.MONTH,
                        order.step(), false, ACTOR.text(), sale, "u", order.lines(), 0,
                        ledgerState.checkedEpoch()));
                Steps.credited(connection, ledgerState, owed, Map.of(id, "credited"));
            }
            return done;
        }
    }

    @BeforeAll
    static void start() {
        test = new TestJournal(Environments.ledger().freshDatabase());
    }

    @AfterAll
    static void stop() throws Exception {
        test.close();
    }

    @TestFactory
    Stream<DynamicTest> reservedOrder() {
        List<Deed> deeds = List.of(Deed.CONFIRM, Deed.RETURN, Deed.EXPIRE);
        return deeds.stream().flatMap(first -> deeds.stream().flatMap(second ->
                Stream.of(true, false).map(commits -> race(first, second, commits, 1))));
    }

    @TestFactory
    Stream<DynamicTest> otherOrders() {
        return Stream.of(true, false).flatMap(commits -> Stream.of(
                race(Deed.RETURN, Deed.RETURN, commits, 0),
                race(Deed.CREDIT, Deed.CREDIT, commits, 0)));
    }

    private static DynamicTest race(Deed first, Deed second, boolean commits, long payBy) {
        return DynamicTest.dynamicTest(first + (commits ? " commits, " : " rolls back, ")
                + second + " of one that began " + (payBy > 0 ? "reserved" : "confirmed"),
                () -> run(first, second, commits, payBy));
    }

    private static void run(Deed first, Deed second, boolean commits, long payBy)
            throws Exception {
        String sale = test.sale("a:9:0", "b:9:0");
        UUID id = test.order(sale, "u", null, "b:1,a:2", payBy);
        if (first == Deed.CREDIT) {
            test.transact((connection, ledgerState) ->
                    Deed.RETURN.on(connection, ledgerState, sale, id));
        }
        boolean later;
        try (Connection connection = test.connect()) {
            assertThat(first.on(connection, test.transact((ours, ledgerState) -> ledgerState), sale,
                    id)).isTrue();
            CompletableFuture<Boolean> other = CompletableFuture.supplyAsync(() ->
                    test.transact((ours, ledgerState) -> second.on(ours, ledgerState, sale, id)));
            Await.until("the second waits, or is done", MET,
                    () -> other.isDone() || waiting());
            if (commits) {
                connection.commit();
            } else {
                connection.rollback();
            }
            later = other.join();
        }
        judge(first, second, commits, later, sale, id);
    }

    private static boolean waiting() {
        return !test.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                + " AND datname = current_database()").equals("0");
    }

    private static void judge(Deed first, Deed second, boolean commits, boolean later,
            String sale, UUID id) {
        assertThat(test.sums(sale)).isEqualTo(test.recount(sale));
        boolean held = !test.find(sale, id).status().isEnded();
        assertThat(test.sold(sale)).isEqualTo(held ? "a 2\nb 1" : "a 0\nb 0");
        // Work that skips locked rows leaves them to the next round.
        boolean passesOver = second == Deed.EXPIRE || second == Deed.CREDIT;
        boolean follows = first == Deed.CONFIRM && second == Deed.RETURN;
        if (second != Deed.CREDIT) {
            assertThat(later).isEqualTo(commits ? follows : !passesOver);
        }
        int steps = (first == Deed.CREDIT ? 1 : 0) + (commits ? 1 : 0)
                + (second == Deed.CREDIT ? 0 : later ? 1 : 0);
        assertThat(test.sql("SELECT count(*) FROM steps WHERE order_id = '" + id + "'"))
                .isEqualTo(Integer.toString(steps));
        assertThat(test.sql("SELECT count(*) FROM steps s JOIN steps p USING (order_id) WHERE"
                + " s.step = p.step + 1 AND s.xact <= p.xact")).isEqualTo("0");
        test.sql("DELETE FROM reservations");
        test.sql("DELETE FROM credits");
    }
}
