package dev.rush.nemesis.checker;

import static dev.rush.nemesis.checker.Story.SALE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import dev.rush.nemesis.fault.Fault.Effect;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What may be gone where a standby of PostgreSQL took over that lacked the last commits. */
class LostCommitsCheckTest {
    private final Story story = new Story();

    @Test
    void anOrderThatEndedMayStayWithRedisAloneWhereCommitsAreLost() {
        UUID order = story.accepted(1, "a").order();
        story.stored.ended.put(order, new Stored.Order(order, SALE.id(), "u1", "a", "apple:1",
                "expired", 0, 9));

        assertThat(story.judged().rules()).anyMatch(rule -> rule.startsWith("I6"));
        story.fault("promoted-standby", 2, 1_000);
        assertThat(story.judged().lines()).isEmpty();
    }

    @Test
    void i12AConfirmationMayBeLostWhereRedisLostItsEvidenceToo() {
        Operation one = story.accepted(1, "a");
        story.store(one, "reserved");
        story.add(Kind.CONFIRM, SALE, 1, null, Outcome.OK, "confirmed", one.order());
        story.fault("promoted-standby", 2, 20);
        story.fault("late", 900, 910, Effect.EMPTIES);

        assertThat(story.judged().rules()).anyMatch(rule -> rule.startsWith("I12"));
        story.fault("soon", 60, 70, Effect.EMPTIES);
        assertThat(story.judged().rules()).noneMatch(rule -> rule.startsWith("I12"));
    }

    @Test
    void i11AParkedReturnMayBeLostWithCommits() {
        Operation one = story.bought(1, "a");
        Operation two = story.bought(2, "a");
        story.add(Kind.RETURN, SALE, 1, null, Outcome.OK, "parked", one.order());
        story.fault("promoted-standby", 2, 1_000);

        assertThat(story.judged().lines()).isEmpty();

        story.add(Kind.RETURN, SALE, 2, null, Outcome.OK, "parked", two.order());
        story.add(Kind.RETURN, SALE, 2, null, Outcome.OK, "returned", two.order());
        assertThat(story.judged().rules())
                .containsExactly("I11: a returned order is sold in the end");
    }
}
