package dev.rush.nemesis.checker;

import static dev.rush.nemesis.checker.Story.RAIN;
import static dev.rush.nemesis.checker.Story.SALE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import dev.rush.nemesis.fault.Fault.Effect;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The checker finds orders that nobody asked for, and orders that were placed too late. */
class OrderCheckTest {
    private final Story story = new Story();

    @Test
    void i8WhatWasSaidNotToHaveHappenedHas() {
        Operation one = story.add(
                Kind.PURCHASE, SALE, 1, "a", Outcome.UNAVAILABLE, "unavailable", null);
        story.store(answered(one), "confirmed");

        assertThat(story.judged().rules()).containsExactly(
                "I8: the ledger has more than was asked for", "I8: what was refused has happened");
    }

    @Test
    void i8ADefectIsNoAnswer() {
        story.add(Kind.PURCHASE, SALE, 1, "a", Outcome.FAILED, "failed", null);

        assertThat(story.judged().rules()).containsExactly("I8: 500");
    }

    @Test
    void i8AnOrderWhoseCallWithoutAKeyWasRefused() {
        Operation one = story.add(
                Kind.PURCHASE, SALE, 1, null, Outcome.UNAVAILABLE, "unavailable", null);
        story.store(answered(one), "confirmed");

        assertThat(story.judged().rules()).containsExactly(
                "I8: the ledger has more than was asked for");
    }

    @Test
    void anOrderOfACallWithoutAKeyWhoseConnectionBrokeIsNoViolation() {
        Operation one = story.add(
                Kind.PURCHASE, SALE, 1, null, Outcome.UNKNOWN, "connection-lost", null);
        story.store(answered(one), "confirmed");

        assertThat(story.judged().lines()).isEmpty();
    }

    @Test
    void aRejectedOrderWhoseCallWasAnsweredWithTheFirstOneOfItsKeyIsNoViolation() {
        Operation first = story.bought(1, "a");
        story.add(replayed(first));
        story.store(answered(first), "rejected");
        story.fault(Effect.LOSES);

        assertThat(story.judged().lines()).isEmpty();
    }

    @Test
    void i8ARejectedOrderThatNobodyAskedFor() {
        Operation first = story.bought(1, "a");
        story.store(answered(first), "rejected");
        story.fault(Effect.LOSES);

        assertThat(story.judged().rules()).containsExactly(
                "I8: the ledger has more than was asked for");
    }

    @Test
    void i8AGrabThatNobodyAskedFor() {
        UUID id = UUID.randomUUID();
        story.stored.grabs.put(id, new Stored.Grab(id, RAIN.id(), "u1", 1, 1, 5, "confirmed"));

        assertThat(story.judged().rules()).containsExactly(
                "I8: the ledger has more than was asked for");
    }

    @Test
    void i9UnitsTakenAfterTheDeadline() {
        placedLate();

        assertThat(story.judged().rules()).containsExactly(
                "I9: units were taken after the deadline");
    }

    @Test
    void i9UnitsTakenAfterTheDeadlineThoughAClockWasShiftedLater() {
        placedLate();
        story.fault(50, 60, Effect.SHIFTS_CLOCK);

        assertThat(story.judged().rules()).containsExactly(
                "I9: units were taken after the deadline");
    }

    @Test
    void anOrderThatAShiftedClockDatedIsNoViolation() {
        placedLate();
        story.fault(2, 4, Effect.SHIFTS_CLOCK);

        assertThat(story.judged().lines()).isEmpty();
    }

    private void placedLate() {
        Operation one = story.bought(1, "a");
        Stored.Order order = story.stored.orders.get(one.order());
        story.stored.orders.put(one.order(), new Stored.Order(order.id(), order.sale(),
                order.user(), order.key(), order.lines(), order.status(),
                order.placedAtMs() + 9_000, 0));
    }

    private static Operation answered(Operation one) {
        return answered(one, UUID.randomUUID(), false);
    }

    private static Operation replayed(Operation first) {
        return answered(first, first.order(), true);
    }

    private static Operation answered(Operation one, UUID order, boolean replayed) {
        return new Operation(one.kind(), one.offer(), one.user(), one.key(), one.cart(),
                one.from(), one.to(), Outcome.OK, "", order, replayed, 0, null);
    }
}
