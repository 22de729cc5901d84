package dev.rush.nemesis.checker;

import static dev.rush.nemesis.checker.SampleRun.SALE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import dev.rush.nemesis.fault.Fault.Effect;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The checker excuses what PostgreSQL lost when it failed over to a standby that lagged. */
class LostCommitsCheckTest {
    private final SampleRun run = new SampleRun();

    @Test
    void endedOrderMayRemainOnlyInRedisAfterLostCommits() {
        UUID order = run.accepted(1, "a").order();
        run.stored.ended.put(order, new Stored.Order(order, SALE.id(), "u1", "a", "apple:1",
                "expired", 0, 9));

        assertThat(run.findings().rules()).anyMatch(rule -> rule.startsWith("I6"));
        run.fault(2, 1_000, Effect.LOSES_COMMITS);
        assertThat(run.findings().lines()).isEmpty();
    }

    @Test
    void i12EndedOrderMayBeLostInBothStores() {
        UUID order = run.accepted(1, "a").order();
        run.add(Kind.CONFIRM, SALE, 1, null, Outcome.REFUSED, "order-expired", order);
        run.fault(900, 910, Effect.EMPTIES_REDIS);
        assertThat(run.findings().rules()).anyMatch(rule -> rule.startsWith("I12"));

        run.fault(950, 960, Effect.LOSES_COMMITS);
        assertThat(run.findings().rules()).as("too late")
                .anyMatch(rule -> rule.startsWith("I12"));
        run.fault(0, 1, Effect.LOSES_COMMITS);
        assertThat(run.findings().rules()).as("too early")
                .anyMatch(rule -> rule.startsWith("I12"));
        run.fault(2, 20, Effect.LOSES_COMMITS);
        assertThat(run.findings().rules()).noneMatch(rule -> rule.startsWith("I12"));
    }

    @Test
    void i12ConfirmationMayBeLostIfRedisLostItsRecordToo() {
        Operation purchase = run.accepted(1, "a");
        run.store(purchase, "reserved");
        run.add(Kind.CONFIRM, SALE, 1, null, Outcome.OK, "confirmed", purchase.order());
        run.fault(2, 20, Effect.LOSES_COMMITS);
        run.fault(900, 910, Effect.EMPTIES_REDIS);

        assertThat(run.findings().rules()).anyMatch(rule -> rule.startsWith("I12"));
        run.fault(60, 70, Effect.EMPTIES_REDIS);
        assertThat(run.findings().rules()).noneMatch(rule -> rule.startsWith("I12"));
    }

    @Test
    void i12ConfirmationMayBeLostIfAFaultKeptItFromRedis() {
        Operation purchase = run.bought(1, "a");
        run.add(Kind.CONFIRM, SALE, 1, null, Outcome.OK, "confirmed", purchase.order());
        run.expire(purchase);
        run.fault(2, 20, Effect.LOSES_COMMITS);
        run.fault(4, 10, Effect.STOPS_NODES);
        assertThat(run.findings().rules()).anyMatch(rule -> rule.startsWith("I12"));

        run.fault(3, 10, Effect.STOPS_NODES);
        assertThat(run.findings().rules()).noneMatch(rule -> rule.startsWith("I12"));
        run.durability = "ledger";
        assertThat(run.findings().rules()).anyMatch(rule -> rule.startsWith("I12"));
    }

    @Test
    void i11ReturnMayBeLostIfAFaultKeptItFromRedis() {
        Operation purchase = run.bought(1, "a");
        run.add(Kind.RETURN, SALE, 1, null, Outcome.OK, "returned", purchase.order());
        run.fault(9, 20, Effect.LOSES_COMMITS);
        run.fault(3, 10, Effect.STOPS_NODES);
        assertThat(run.findings().rules())
                .containsExactly("I11: a returned order is still sold");

        run.fault(7, 20, Effect.LOSES_COMMITS);
        assertThat(run.findings().lines()).isEmpty();
    }

    @Test
    void i11ParkedReturnByKeyMayBeLostIfAFaultKeptItFromRedis() {
        run.add(Kind.RETURN, SALE, 1, "a", Outcome.OK, "parked", null);
        run.bought(1, "a");
        run.fault(2, 20, Effect.LOSES_COMMITS);
        assertThat(run.findings().rules()).containsExactly(
                "I11: a purchase was accepted under a returned key");

        run.fault(2, 10, Effect.STOPS_NODES);
        assertThat(run.findings().lines()).isEmpty();
    }

    @Test
    void i11ParkedReturnMayBeLostWithCommits() {
        Operation first = run.bought(1, "a");
        Operation second = run.bought(2, "a");
        run.add(Kind.RETURN, SALE, 1, null, Outcome.OK, "parked", first.order());
        run.fault(2, 1_000, Effect.LOSES_COMMITS);

        assertThat(run.findings().lines()).isEmpty();

        run.add(Kind.RETURN, SALE, 2, null, Outcome.OK, "parked", second.order());
        run.add(Kind.RETURN, SALE, 2, null, Outcome.OK, "returned", second.order());
        assertThat(run.findings().rules())
                .containsExactly("I11: a returned order is still sold");
    }
}
