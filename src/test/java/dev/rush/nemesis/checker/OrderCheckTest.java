package dev.rush.nemesis.checker;

import static dev.rush.nemesis.checker.SampleRun.RAIN;
import static dev.rush.nemesis.checker.SampleRun.SALE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import dev.rush.nemesis.fault.Fault.Effect;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The checker finds orders that nobody requested, and orders that were placed too late. */
class OrderCheckTest {
    private final SampleRun run = new SampleRun();

    @Test
    void i8FindsAStoredPurchaseThatWasRefused() {
        Operation purchase = run.add(
                Kind.PURCHASE, SALE, 1, "a", Outcome.UNAVAILABLE, "unavailable", null);
        run.store(answered(purchase), "confirmed");

        assertThat(run.findings().rules()).containsExactly(
                "I8: a refused purchase was stored",
                "I8: the ledger has more orders than were requested");
    }

    @Test
    void i8FindsAnAnswerOf500() {
        run.add(Kind.PURCHASE, SALE, 1, "a", Outcome.FAILED, "failed", null);

        assertThat(run.findings().rules()).containsExactly("I8: a call was answered with 500");
    }

    @Test
    void i8FindsAStoredPurchaseWithoutAKeyThatWasRefused() {
        Operation purchase = run.add(
                Kind.PURCHASE, SALE, 1, null, Outcome.UNAVAILABLE, "unavailable", null);
        run.store(answered(purchase), "confirmed");

        assertThat(run.findings().rules()).containsExactly(
                "I8: the ledger has more orders than were requested");
    }

    @Test
    void storedPurchaseWithoutAKeyAfterALostConnectionIsNoViolation() {
        Operation purchase = run.add(
                Kind.PURCHASE, SALE, 1, null, Outcome.UNKNOWN, "connection-lost", null);
        run.store(answered(purchase), "confirmed");

        assertThat(run.findings().lines()).isEmpty();
    }

    @Test
    void rejectedOrderAnsweredWithTheFirstOneUnderItsKeyIsNoViolation() {
        Operation first = run.bought(1, "a");
        run.add(replayed(first));
        run.store(answered(first), "rejected");
        run.fault(Effect.LOSES_WRITES);

        assertThat(run.findings().lines()).isEmpty();
    }

    @Test
    void i8FindsARejectedOrderThatNobodyRequested() {
        Operation first = run.bought(1, "a");
        run.store(answered(first), "rejected");
        run.fault(Effect.LOSES_WRITES);

        assertThat(run.findings().rules()).containsExactly(
                "I8: the ledger has more orders than were requested");
    }

    @Test
    void i8FindsAGrabThatNobodyRequested() {
        UUID id = UUID.randomUUID();
        run.stored.grabs.put(id, new Stored.Grab(id, RAIN.id(), "u1", "a", 1, 1, 5, "confirmed"));

        assertThat(run.findings().rules()).containsExactly(
                "I8: the ledger has more orders than were requested");
    }

    @Test
    void rejectedGrabAnsweredWithTheFirstOneUnderItsKeyIsNoViolation() {
        Operation first = run.grabbed(1, "a", 1, 1, 5);
        reject("b");
        run.fault(Effect.LOSES_WRITES);
        assertThat(run.findings().rules()).containsExactly(
                "I8: the ledger has more orders than were requested");

        run.stored.grabs.values().removeIf(grab -> !grab.confirmed());
        reject("a");
        run.add(new Operation(Kind.GRAB, RAIN, 1, "a", null, 0, 0, Outcome.OK, "confirmed",
                first.order(), true, first.number(), ""));
        assertThat(run.findings().lines()).isEmpty();
    }

    private void reject(String key) {
        UUID id = UUID.randomUUID();
        run.stored.grabs.put(id, new Stored.Grab(id, RAIN.id(), "u1", key, 1, 1, 5, "rejected"));
    }

    @Test
    void i9FindsUnitsTakenAfterTheDeadline() {
        placeLate();

        assertThat(run.findings().rules()).containsExactly(
                "I9: units were taken after the deadline");
    }

    @Test
    void i9FindsUnitsTakenAfterTheDeadlineAndBeforeAClockWasShifted() {
        placeLate();
        run.fault(50, 60, Effect.SHIFTS_CLOCK);

        assertThat(run.findings().rules()).containsExactly(
                "I9: units were taken after the deadline");
    }

    @Test
    void lateOrderDatedByAShiftedClockIsNoViolation() {
        placeLate();
        run.fault(2, 4, Effect.SHIFTS_CLOCK);

        assertThat(run.findings().lines()).isEmpty();
    }

    private void placeLate() {
        Operation purchase = run.bought(1, "a");
        Stored.Order order = run.stored.orders.get(purchase.order());
        run.stored.orders.put(purchase.order(), new Stored.Order(order.id(), order.sale(),
                order.user(), order.key(), order.lines(), order.status(),
                order.placedAtMs() + 9_000, 0));
    }

    private static Operation answered(Operation purchase) {
        return answered(purchase, UUID.randomUUID(), false);
    }

    private static Operation replayed(Operation first) {
        return answered(first, first.order(), true);
    }

    private static Operation answered(Operation purchase, UUID order, boolean replayed) {
        return new Operation(purchase.kind(), purchase.offer(), purchase.user(), purchase.key(),
                purchase.cart(), purchase.from(), purchase.to(), Outcome.OK, "", order, replayed, 0,
                null);
    }
}
