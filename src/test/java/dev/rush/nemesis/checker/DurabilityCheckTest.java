package dev.rush.nemesis.checker;

import static dev.rush.nemesis.checker.Story.SALE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import dev.rush.nemesis.fault.Fault.Effect;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The checker finds orders that were answered as confirmed and are not. */
class DurabilityCheckTest {
    private static final String LOST = "D1: what was answered as confirmed is not in the ledger";
    private final Story story = new Story();

    private Operation answered(String word) {
        return story.add(Kind.PURCHASE, SALE, 1, "a", Outcome.OK, word, UUID.randomUUID());
    }

    @Test
    void d1AConfirmedOrderIsGoneWithARedisThatLostIt() {
        answered("confirmed");
        story.fault(Effect.LOSES);

        assertThat(story.judged().rules()).contains(LOST);
    }

    @Test
    void d1AReservedOrderWasRejected() {
        story.store(answered("reserved"), "rejected");
        story.fault(Effect.LOSES);

        assertThat(story.judged().rules()).containsExactly(LOST);
    }

    @Test
    void aConfirmedOrderThatIsStoredIsNoViolation() {
        story.durability = "ledger";
        story.store(answered("confirmed"), "returned");

        assertThat(story.judged().rules()).doesNotContain(LOST);
    }

    @Test
    void anOrderThatBothStoresLostIsNoViolation() {
        story.stored.lost.put(0, 100L);
        answered("confirmed");
        story.fault("promoted-standby", 2, 100);

        assertThat(story.judged().rules()).contains(LOST);
        story.fault(Effect.LOSES);
        assertThat(story.judged().rules()).doesNotContain(LOST);
    }

    @Test
    void d1AnOrderIsAnsweredBeforeTheLedgerHasIt() {
        story.durability = "ledger";
        story.bought(1, "a");

        assertThat(story.judged().rules()).containsExactly(
                "D1: it was answered before the ledger had it");
    }

    @Test
    void anOrderThatWasRefusedAsRejectedIsNoViolation() {
        story.durability = "ledger";
        Operation one = story.add(
                Kind.PURCHASE, SALE, 1, "a", Outcome.REFUSED, "rejected", null);
        story.store(new Operation(one.kind(), one.offer(), one.user(), one.key(), one.cart(),
                one.from(), one.to(), Outcome.OK, "", UUID.randomUUID(), false, 0, null),
                "rejected");
        story.fault(Effect.LOSES);

        assertThat(story.judged().lines()).isEmpty();
    }
}
