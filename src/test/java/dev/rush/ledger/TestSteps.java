package dev.rush.ledger;

import dev.rush.http.Caller;
import java.util.List;
import java.util.UUID;

/** Steps of orders of a journal, each in its own transaction. */
final class TestSteps {
    static final Actor BUYER = Actor.of(Caller.actingFor("u", false));
    private static final Payment PAID = new Payment("pay-1", 990L, "EUR");
    private static final int MONTH = TestJournal.MONTH;

    private final TestJournal test;

    TestSteps(TestJournal test) {
        this.test = test;
    }

    void confirm(String sale, UUID id) {
        test.transact((connection, ledgerState) -> {
            Steps.confirm(connection, ledgerState, OrderRows.find(connection, MONTH, sale, id),
                    BUYER, PAID);
            return null;
        });
    }

    OwedCredit giveBack(String sale, UUID id) {
        return test.transact((connection, ledgerState) -> Steps.giveBack(connection, ledgerState,
                OrderRows.find(connection, MONTH, sale, id), BUYER, "too small"));
    }

    List<UUID> expired(long redisMs, int max) {
        return test.transact((connection, ledgerState) ->
                Steps.expire(connection, ledgerState, 0, redisMs, max)).stream()
                .map(OwedCredit::order).toList();
    }

    int hold(int partition) {
        return hold(partition, 0, 99).orders();
    }

    Reservations.Part hold(int partition, long from, int max) {
        return test.transact((connection, ledgerState) ->
                Reservations.hold(connection, partition, from, max));
    }

    boolean release(String sale, UUID order) {
        return test.transact((connection, ledgerState) -> Reservations.release(
                connection, OrderRows.find(connection, TestJournal.MONTH, sale, order)));
    }

    Reservations.Part release(String sale, long from, int max) {
        return test.transact((connection, ledgerState) ->
                Reservations.release(connection, sale, from, max));
    }

    long heldOf(String sale) {
        return test.transact((connection, ledgerState) -> Reservations.held(connection, sale));
    }

    List<UUID> owed(int max, Integer... partitions) {
        return test.transact((connection, ledgerState) -> OwedCredits.due(connection, ledgerState,
                List.of(partitions), max)).stream().map(OwedCredit::order).toList();
    }

    /** Leaves nothing due to the next scene. */
    void clear() {
        test.sql("DELETE FROM reservations");
        test.sql("DELETE FROM credits");
    }
}
