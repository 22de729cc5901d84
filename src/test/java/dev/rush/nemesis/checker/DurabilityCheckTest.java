package dev.rush.nemesis.checker;

import static dev.rush.nemesis.checker.SampleRun.SALE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import dev.rush.nemesis.fault.Fault.Effect;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The checker finds orders that were answered as confirmed or reserved and are not stored. */
class DurabilityCheckTest {
    private static final String LOST = "D1: an order answered as confirmed is not in the ledger";
    private final SampleRun run = new SampleRun();

    private Operation answered(String word) {
        return run.add(Kind.PURCHASE, SALE, 1, "a", Outcome.OK, word, UUID.randomUUID());
    }

    @Test
    void d1FindsAMissingConfirmedOrderAlthoughRedisLostWrites() {
        answered("confirmed");
        run.fault(Effect.LOSES_WRITES);

        assertThat(run.findings().rules()).contains(LOST);
    }

    @Test
    void d1FindsAReservedOrderThatWasRejected() {
        run.store(answered("reserved"), "rejected");
        run.fault(Effect.LOSES_WRITES);

        assertThat(run.findings().rules()).containsExactly(LOST);
    }

    @Test
    void storedOrderIsNoViolation() {
        run.durability = "ledger";
        run.store(answered("confirmed"), "returned");

        assertThat(run.findings().rules()).doesNotContain(LOST);
    }

    @Test
    void orderThatBothStoresLostIsNoViolation() {
        run.stored.lost.put(0, 100L);
        answered("confirmed");
        run.fault(Effect.LOSES_COMMITS);

        assertThat(run.findings().rules()).contains(LOST);
        run.fault(Effect.LOSES_WRITES);
        assertThat(run.findings().rules()).doesNotContain(LOST);
    }

    @Test
    void d1FindsAnOrderAnsweredBeforeTheLedgerHadIt() {
        run.durability = "ledger";
        run.bought(1, "a");

        assertThat(run.findings().rules()).containsExactly(
                "D1: an order was answered before the ledger had it");
    }

    @Test
    void orderRefusedAsRejectedIsNoViolation() {
        run.durability = "ledger";
        Operation purchase = run.add(
                Kind.PURCHASE, SALE, 1, "a", Outcome.REFUSED, "rejected", null);
        run.store(new Operation(purchase.kind(), purchase.offer(), purchase.user(),
                purchase.key(), purchase.cart(), purchase.from(), purchase.to(), Outcome.OK, "",
                UUID.randomUUID(), false, 0, null),
                "rejected");
        run.fault(Effect.LOSES_WRITES);

        assertThat(run.findings().lines()).isEmpty();
    }
}
