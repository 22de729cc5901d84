package dev.rush.nemesis.checker;

import static dev.rush.nemesis.checker.Story.SALE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.nemesis.Layout;
import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Offer.Cart;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import dev.rush.nemesis.fault.Fault.Effect;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The checker finds what is wrong with runs made by hand, and nothing where all is right. */
class CheckerTest {
    private final Story story = new Story();

    private void assertFound(String... rules) {
        assertThat(story.judged().rules()).as("%s", story.judged().lines())
                .hasSize(rules.length)
                .allSatisfy(rule -> assertThat(rule).startsWith(rules[0]));
    }

    private void assertNothingFound() {
        assertThat(story.judged().lines()).isEmpty();
    }

    @Test
    void aRunInWhichAllIsRightHasNoFindings() {
        story.bought(1, "k1");
        story.bought(2, null);
        story.refused(3, "rate-limited");
        story.add(Kind.PURCHASE, SALE, 4, "k4", Outcome.UNKNOWN, "outcome-unknown", null);
        story.add(Kind.PURCHASE, SALE, 5, "k5", Outcome.UNAVAILABLE, "unavailable", null);
        story.grabbed(1, 1, 1, 5);
        story.grabbed(1, 2, 2, 7);
        story.stored.books.put("rain", new Stored.Books("balanced", 21, 9, 12, ""));

        assertNothingFound();
    }

    @Test
    void i1ConfirmedBeyondTheTotal() {
        for (int i = 0; i < 11; i++) {
            story.fault(Effect.LOSES);
            story.bought(i, "k" + i);
        }

        assertFound("I1: confirmed and reserved beyond the total");
    }

    @Test
    void i1ACountOfUnitsThatOrdersDoNotBearOut() {
        story.bought(1, "k");
        story.stored.items.put("sale apple", new Stored.Item(10, 2));

        assertFound("I1: the ledger's count");
    }

    @Test
    void i2ARejectedOrderWithoutALoss() {
        story.store(story.accepted(1, "k"), "rejected");

        assertFound("I2: the ledger rejected");
    }

    @Test
    void i2AcceptedBeyondTheTotalWithoutALoss() {
        for (int i = 0; i < 11; i++) {
            story.store(story.accepted(i, "k" + i), i == 0 ? "rejected" : "confirmed");
        }

        assertThat(story.judged().rules()).contains("I2: accepted beyond the total");
    }

    @Test
    void i3LeftAndOrderedAreNotTheTotal() {
        story.add(new Operation(Kind.BOOKS, SALE, -1, null, null, 0, 0, Outcome.OK, "balanced",
                null, false, 1, null));

        assertFound("I3");
    }

    @Test
    void i4MoreThanTheLimitInTheLedger() {
        story.bought(1, "a");
        story.bought(1, "b");
        story.bought(1, "c");

        assertFound("I4: a user has more than the limit in the ledger");
    }

    @Test
    void i4MoreThanTheLimitInRedis() {
        story.bought(1, "a");
        story.stored.taken.put("sale", Map.of("u1 apple", 3L));

        assertFound("I4: a user has more than the limit in Redis");
    }

    @Test
    void i5AnOrderOfTwoOwners() {
        Operation one = story.bought(1, "a");
        story.add(Kind.PURCHASE, SALE, 2, "b", Outcome.OK, "accepted", one.order());

        assertFound("I5: an order has two owners");
    }

    @Test
    void i6AnOrderThatIsGoneWithoutALoss() {
        story.accepted(1, "a");

        assertThat(story.judged().rules()).containsExactly(
                "I6: an answered order is gone though Redis lost nothing",
                "I6: answered orders are gone and not counted as lost");
    }

    @Test
    void i6AnOrderThatALossTookAndNobodyCounted() {
        story.fault(Effect.LOSES);
        story.accepted(1, "a");

        assertFound("I6: answered orders are gone and not counted");
    }

    @Test
    void anOrderThatALossTookAndThatIsCountedIsNoViolation() {
        story.fault(Effect.LOSES);
        story.stored.lost.put(
                Layout.partition(SALE, "u1"), 1L);
        story.accepted(1, "a");

        assertNothingFound();
    }

    @Test
    void i7TwoOrdersUnderOneKey() {
        story.bought(1, "same");
        Operation other = story.accepted(1, "same");
        story.stored.orders.put(other.order(), new Stored.Order(other.order(), "sale", "u1",
                "elsewhere", "apple:1", "confirmed", 0, 0));
        story.count();

        assertThat(story.judged().rules()).containsExactly("I7: one key has two orders",
                "I7: the ledger has two orders or grabs of one key");
    }

    @Test
    void i7TwoGrabsUnderOneKey() {
        Operation one = story.grabbed(1, "same", 1, 1, 5);
        story.fault(Effect.LOSES);
        Operation other = story.grabbed(1, "same", 2, 2, 7);

        assertThat(one.order()).isNotEqualTo(other.order());
        assertFound("I7: the ledger has two orders or grabs of one key");
    }

    @Test
    void i7TwoAnswersUnderOneKey() {
        Operation one = story.bought(1, "same");
        story.add(new Operation(Kind.PURCHASE, SALE, 1, "same", one.cart(), 0, 0, Outcome.OK,
                "accepted", one.order(), true, 99, null));

        assertFound("I7: one key has two answers");
    }

    @Test
    void i7AnotherBodyUnderAUsedKey() {
        Operation one = story.bought(1, "same");
        story.add(new Operation(Kind.PURCHASE, SALE, 1, "same", new Cart(Map.of("apple", 2)), 0, 0,
                Outcome.OK, "accepted", one.order(), true, 0, null));

        assertFound("I7: another body");
    }

    @Test
    void i10AnOrderReturnedByNobody() {
        story.store(story.accepted(1, "a"), "returned");

        assertFound("I10: an order is returned that nobody returned");
    }

    @Test
    void i10AnOrderThatExpiredWithoutAWindow() {
        story.store(story.accepted(1, "a"), "expired");

        assertFound("I10: an order has expired");
    }

    @Test
    void i11AReturnedOrderIsSold() {
        Operation one = story.bought(1, "a");
        story.add(Kind.RETURN, SALE, 1, null, Outcome.OK, "returned", one.order());

        assertFound("I11: a returned order is sold in the end");
    }

    @Test
    void i11APurchaseUnderAReturnedKey() {
        story.add(Kind.RETURN, SALE, 1, "a", Outcome.OK, "parked", null);
        story.store(story.accepted(1, "a"), "returned");

        assertFound("I11: a purchase was accepted under a returned key");
    }

    @Test
    void anOrderUnderAReturnedKeyMayExpireWhereRedisWasNotTold() {
        story.fault(Effect.ENDS);
        story.add(Kind.RETURN, SALE, 1, "a", Outcome.OK, "parked", null);
        Operation one = story.accepted(1, "a");
        story.expire(one);

        assertNothingFound();
    }

    @Test
    void i12AConfirmedOrderExpires() {
        Operation one = story.accepted(1, "a");
        story.expire(one);
        story.add(Kind.CONFIRM, SALE, 1, null, Outcome.OK, "confirmed", one.order());

        assertFound("I12");
    }

    @Test
    void i13AnEnvelopeGrantedTwice() {
        story.grabbed(1, 1, 1, 5);
        story.grabbed(2, 1, 1, 5);

        assertFound("I13: an envelope is granted twice");
    }

    @Test
    void i13MoreEnvelopesThanTheLimit() {
        story.grabbed(1, 1, 1, 5);
        story.grabbed(1, 2, 2, 7);
        story.grabbed(1, 3, 3, 9);

        assertFound("I13: a user has more envelopes than the limit");
    }

    @Test
    void i13MoneyThatIsGone() {
        story.grabbed(1, 1, 1, 5);
        story.stored.books.put("rain", new Stored.Books("balanced", 21, 9, 5, ""));

        assertFound("I13: granted and left");
    }

    @Test
    void i14SoldAfterRedisWasEmptied() {
        story.fault(Effect.EMPTIES);
        story.bought(1, "a");
        story.bought(2, "b");

        assertFound("I14");
    }

    @Test
    void i15AStreamThatIsNotDrained() {
        story.stored.waiting.put(3, 1L);

        assertFound("I15: a stream");
    }

    @Test
    void i15ADeadLetter() {
        story.stored.deadLetters.add(UUID.randomUUID());

        assertFound("I15: a dead letter");
    }

    @Test
    void i16BooksThatDoNotBalance() {
        story.stored.books.put("sale", new Stored.Books("undersold", 0, 0, 0, ""));

        assertFound("I16: books");
    }

    @Test
    void i16ARepairThoughNothingWasLost() {
        story.stored.repaired.add("sale");

        assertFound("I16: a repair");
    }

    @Test
    void i16AnAlarmWithoutAFault() {
        story.stored.alarms.put("rush_books_drift", 1.0);

        assertFound("I16: an alarm without a fault");
    }
}
