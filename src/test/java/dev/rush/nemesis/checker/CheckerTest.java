package dev.rush.nemesis.checker;

import static dev.rush.nemesis.checker.SampleRun.SALE;
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

/** The checker finds every broken rule in made-up runs, and nothing in a correct run. */
class CheckerTest {
    private final SampleRun run = new SampleRun();

    private void assertFoundOnly(String rule) {
        assertThat(run.findings().rules()).as("%s", run.findings().lines())
                .singleElement().asString().startsWith(rule);
    }

    private void assertNothingFound() {
        assertThat(run.findings().lines()).isEmpty();
    }

    @Test
    void correctRunHasNoFindings() {
        run.bought(1, "k1");
        run.bought(2, null);
        run.refused(3, "rate-limited");
        run.add(Kind.PURCHASE, SALE, 4, "k4", Outcome.UNKNOWN, "outcome-unknown", null);
        run.add(Kind.PURCHASE, SALE, 5, "k5", Outcome.UNAVAILABLE, "unavailable", null);
        run.grabbed(1, 1, 1, 5);
        run.grabbed(1, 2, 2, 7);
        run.stored.books.put("rain", new Stored.Books("balanced", 21, 9, 12, ""));

        assertNothingFound();
    }

    @Test
    void i1FindsMoreConfirmedUnitsThanTheTotal() {
        run.fault(Effect.LOSES_WRITES);
        for (int i = 0; i < 11; i++) {
            run.bought(i, "k" + i);
        }

        assertFoundOnly("I1: more units are confirmed and reserved than the total");
    }

    @Test
    void i1FindsACountOfSoldUnitsThatIsNotTheSumOfOrders() {
        run.bought(1, "k");
        run.stored.items.put("sale apple", new Stored.Item(10, 2));

        assertFoundOnly("I1: the ledger's count");
    }

    @Test
    void i2FindsARejectedOrderWithoutALoss() {
        run.store(run.accepted(1, "k"), "rejected");

        assertFoundOnly("I2: the ledger rejected");
    }

    @Test
    void i2FindsMoreAcceptedUnitsThanTheTotalWithoutALoss() {
        for (int i = 0; i < 11; i++) {
            run.store(run.accepted(i, "k" + i), i == 0 ? "rejected" : "confirmed");
        }

        assertThat(run.findings().rules()).contains(
                "I2: more units were accepted than the total");
    }

    @Test
    void i3FindsUnitsThatDoNotAddUpToTheTotal() {
        run.add(new Operation(Kind.BOOKS, SALE, -1, null, null, 0, 0, Outcome.OK, "balanced",
                null, false, 1, null));

        assertFoundOnly("I3");
    }

    @Test
    void i4FindsMoreThanTheLimitInTheLedger() {
        run.bought(1, "a");
        run.bought(1, "b");
        run.bought(1, "c");

        assertFoundOnly("I4: a user holds more than the limit in the ledger");
    }

    @Test
    void i4FindsMoreThanTheLimitInRedis() {
        run.bought(1, "a");
        run.stored.taken.put("sale", Map.of("u1 apple", 3L));

        assertFoundOnly("I4: a user holds more than the limit in Redis");
    }

    @Test
    void i5FindsAnOrderWithTwoOwners() {
        Operation purchase = run.bought(1, "a");
        run.add(Kind.PURCHASE, SALE, 2, "b", Outcome.OK, "accepted", purchase.order());

        assertFoundOnly("I5: an order has two owners");
    }

    @Test
    void i6FindsAMissingOrderWithoutALoss() {
        run.accepted(1, "a");

        assertThat(run.findings().rules()).containsExactly(
                "I6: an answered order is missing although Redis lost nothing",
                "I6: missing orders are not counted as lost");
    }

    @Test
    void i6FindsALostOrderThatIsNotCounted() {
        run.fault(Effect.LOSES_WRITES);
        run.accepted(1, "a");

        assertFoundOnly("I6: missing orders are not counted");
    }

    @Test
    void lostOrderThatIsCountedIsNoViolation() {
        run.fault(Effect.LOSES_WRITES);
        run.stored.lost.put(Layout.partition(SALE, "u1"), 1L);
        run.accepted(1, "a");

        assertNothingFound();
    }

    @Test
    void i7FindsTwoOrdersUnderOneKey() {
        run.bought(1, "same");
        Operation other = run.accepted(1, "same");
        run.stored.orders.put(other.order(), new Stored.Order(other.order(), "sale", "u1",
                "elsewhere", "apple:1", "confirmed", 0, 0));
        run.countSold();

        assertThat(run.findings().rules()).containsExactly("I7: one key has two orders",
                "I7: the ledger has two orders or grabs under one key");
    }

    @Test
    void i7FindsTwoGrabsUnderOneKey() {
        Operation first = run.grabbed(1, "same", 1, 1, 5);
        run.fault(Effect.LOSES_WRITES);
        Operation second = run.grabbed(1, "same", 2, 2, 7);

        assertThat(first.order()).isNotEqualTo(second.order());
        assertFoundOnly("I7: the ledger has two orders or grabs under one key");
    }

    @Test
    void i7FindsTwoAnswersUnderOneKey() {
        Operation purchase = run.bought(1, "same");
        run.add(new Operation(Kind.PURCHASE, SALE, 1, "same", purchase.cart(), 0, 0,
                Outcome.OK, "accepted", purchase.order(), true, 99, null));

        assertFoundOnly("I7: one key has two answers");
    }

    @Test
    void i7FindsAnotherBodyUnderAUsedKey() {
        Operation purchase = run.bought(1, "same");
        run.add(new Operation(Kind.PURCHASE, SALE, 1, "same", new Cart(Map.of("apple", 2)), 0, 0,
                Outcome.OK, "accepted", purchase.order(), true, 0, null));

        assertFoundOnly("I7: another body");
    }

    @Test
    void i10FindsAnOrderReturnedWithoutARequest() {
        run.store(run.accepted(1, "a"), "returned");

        assertFoundOnly("I10: an order was returned without a request");
    }

    @Test
    void i10FindsAnExpiredOrderWithoutAPaymentWindow() {
        run.store(run.accepted(1, "a"), "expired");

        assertFoundOnly("I10: an order without a payment window expired");
    }

    @Test
    void i11FindsAReturnedOrderThatIsStillSold() {
        Operation purchase = run.bought(1, "a");
        run.add(Kind.RETURN, SALE, 1, null, Outcome.OK, "returned", purchase.order());

        assertFoundOnly("I11: a returned order is still sold");
    }

    @Test
    void i11FindsAPurchaseUnderAReturnedKey() {
        run.add(Kind.RETURN, SALE, 1, "a", Outcome.OK, "parked", null);
        run.store(run.accepted(1, "a"), "returned");

        assertFoundOnly("I11: a purchase was accepted under a returned key");
    }

    @Test
    void orderUnderAReturnedKeyMayExpireIfTheReturnDidNotReachRedis() {
        run.fault(Effect.STOPS_NODES);
        run.add(Kind.RETURN, SALE, 1, "a", Outcome.OK, "parked", null);
        Operation purchase = run.accepted(1, "a");
        run.expire(purchase);

        assertNothingFound();
    }

    @Test
    void i12FindsAConfirmedOrderThatExpired() {
        Operation purchase = run.accepted(1, "a");
        run.expire(purchase);
        run.add(Kind.CONFIRM, SALE, 1, null, Outcome.OK, "confirmed", purchase.order());

        assertFoundOnly("I12");
    }

    @Test
    void i13FindsAnEnvelopeGrantedTwice() {
        run.grabbed(1, 1, 1, 5);
        run.grabbed(2, 1, 1, 5);

        assertFoundOnly("I13: an envelope was granted twice");
    }

    @Test
    void i13FindsMoreEnvelopesThanTheLimit() {
        run.grabbed(1, 1, 1, 5);
        run.grabbed(1, 2, 2, 7);
        run.grabbed(1, 3, 3, 9);

        assertFoundOnly("I13: a user holds more envelopes than the limit");
    }

    @Test
    void i13FindsMissingMoney() {
        run.grabbed(1, 1, 1, 5);
        run.stored.books.put("rain", new Stored.Books("balanced", 21, 9, 5, ""));

        assertFoundOnly("I13: granted + left");
    }

    @Test
    void i14FindsASaleThatSoldAfterRedisWasEmptied() {
        run.fault(Effect.EMPTIES_REDIS);
        run.bought(1, "a");
        run.bought(2, "b");

        assertFoundOnly("I14");
    }

    @Test
    void i15FindsAStreamThatDidNotDrain() {
        run.stored.waiting.put(3, 1L);

        assertFoundOnly("I15: a stream");
    }

    @Test
    void i15FindsADeadLetter() {
        run.stored.deadLetters.add(UUID.randomUUID());

        assertFoundOnly("I15: a dead letter");
    }

    @Test
    void i16FindsBooksThatDoNotBalance() {
        run.stored.books.put("sale", new Stored.Books("undersold", 0, 0, 0, ""));

        assertFoundOnly("I16: books");
    }

    @Test
    void i16FindsARepairAlthoughRedisLostNothing() {
        run.stored.repaired.add("sale");

        assertFoundOnly("I16: a repair");
    }

    @Test
    void i16FindsAnAlarmWithoutAFault() {
        run.stored.alarms.put("rush_books_drift", 1.0);

        assertFoundOnly("I16: an alarm without a fault");
    }
}
