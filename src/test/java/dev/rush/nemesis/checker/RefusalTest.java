package dev.rush.nemesis.checker;

import static dev.rush.nemesis.checker.Story.RAIN;
import static dev.rush.nemesis.checker.Story.SALE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Offer.Cart;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import dev.rush.nemesis.fault.Fault.Effect;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The checker finds refusals that could not be, and sales that should have been refused. */
class RefusalTest {
    private final Story story = new Story();

    @ParameterizedTest
    @ValueSource(strings = {"sold-out", "insufficient-stock", "limit-reached",
        "duplicate-submission", "paused", "closed", "not-open", "unknown-sale"})
    void aRefusalWithoutAReasonIsFound(String word) {
        story.bought(1, "a");
        story.refused(2, word);

        assertThat(story.judged().rules()).containsExactly(
                "refusals: " + word + " could not be");
    }

    @Test
    void refusalsWithAReasonAreFine() {
        for (int i = 0; i < 10; i++) {
            story.bought(i, "k" + i);
        }
        story.refused(20, "sold-out");
        story.refused(20, "insufficient-stock");
        story.add(new Operation(Kind.PURCHASE, SALE, 1, null, new Cart(Map.of("apple", 2)), 0, 0,
                Outcome.REFUSED, "limit-reached", null, false, 0, "apple"));
        story.operator(Kind.PAUSE);
        story.refused(20, "paused");
        story.operator(Kind.RESUME);
        story.operator(Kind.CLOSE);
        story.refused(20, "closed");

        assertThat(story.judged().lines()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"101, true", "102, false"})
    void aRecordIsFullOnlyAfterManyOrders(int orders, boolean isFound) {
        for (int i = 0; i < orders; i++) {
            story.bought(1, "k" + i);
        }
        story.add(new Operation(Kind.PURCHASE, SALE, 1, null, new Cart(Map.of("apple", 1)), 0, 0,
                Outcome.REFUSED, "limit-reached", null, false, 0, null));

        assertThat(story.judged().rules().contains("refusals: limit-reached could not be"))
                .isEqualTo(isFound);
    }

    @Test
    void pausedAfterTheSaleWasResumedIsFound() {
        story.operator(Kind.PAUSE);
        story.operator(Kind.RESUME);
        story.refused(1, "paused");

        assertThat(story.judged().rules()).containsExactly("refusals: paused could not be");
    }

    @Test
    void aSecondPurchaseThatIsRefusedAsADuplicateLongAfterTheFirstIsFound() {
        story.bought(1, "a");
        for (int i = 0; i < 4; i++) {
            story.refused(2, "rate-limited");
        }
        story.refused(1, "duplicate-submission");

        assertThat(story.judged().rules()).containsExactly(
                "refusals: duplicate-submission could not be");
    }

    @Test
    void aDuplicateOfACallThatWasRepeatedAfterALossIsNoViolation() {
        Operation first = story.bought(1, "a");
        for (int i = 0; i < 4; i++) {
            story.refused(2, "rate-limited");
        }
        story.fault(Effect.LOSES);
        story.add(new Operation(first.kind(), first.offer(), 1, "a", first.cart(), 0, 0,
                Outcome.OK, "confirmed", first.order(), true, 0, null));
        story.refused(1, "duplicate-submission");

        assertThat(story.judged().rules()).isEmpty();
    }

    @Test
    void aPurchaseOfAPausedSaleIsFound() {
        story.operator(Kind.PAUSE);
        story.bought(1, "a");

        assertThat(story.judged().rules()).containsExactly("control: a paused sale sold");
    }

    @Test
    void aPurchaseOfAClosedSaleIsFound() {
        story.operator(Kind.CLOSE);
        story.bought(1, "a");

        assertThat(story.judged().rules()).containsExactly("control: a closed sale sold");
    }

    @Test
    void aReusedKeyThatIsNotReusedIsFound() {
        story.add(Kind.PURCHASE, SALE, 1, "a", Outcome.REFUSED, "key-reused", null);

        assertThat(story.judged().rules()).containsExactly(
                "refusals: key-reused without another body");
    }

    @Test
    void anAnsweredOrderThatNobodyKnowsIsFound() {
        Operation one = story.bought(1, "a");
        story.add(Kind.ORDER, SALE, 1, null, Outcome.REFUSED, "unknown-order", one.order());

        assertThat(story.judged().rules()).containsExactly(
                "refusals: unknown-order of an answered order");
    }

    @Test
    void anEmptyRainThatCannotBeEmptyIsFound() {
        story.grabbed(1, 1, 1, 5);
        story.add(Kind.GRAB, RAIN, 2, null, Outcome.REFUSED, "empty", null);

        assertThat(story.judged().rules()).containsExactly(
                "refusals: empty of a rain could not be");
    }
}
