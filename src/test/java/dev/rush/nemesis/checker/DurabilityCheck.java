package dev.rush.nemesis.checker;

import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Operation;
import java.util.Set;

/**
 * D1: what was answered as confirmed or reserved is in the ledger for good, whatever Redis lost;
 * and under {@code ledger} nothing else is answered. Where a standby of PostgreSQL took over, what
 * Redis lost too may be gone.
 */
final class DurabilityCheck implements Check {
    private static final Set<String> STORED = Set.of("confirmed", "reserved");

    @Override
    public void judge(Evidence evidence, Findings findings) {
        boolean standby = evidence.faults().lostCommits(0);
        evidence.operations().stream()
                .filter(one -> one.kind() == Kind.PURCHASE || one.kind() == Kind.GRAB)
                .filter(Operation::accepted)
                .forEach(one -> judge(evidence, one, standby, findings));
    }

    private static void judge(
            Evidence evidence, Operation one, boolean standby, Findings findings) {
        if (STORED.contains(one.word())) {
            boolean excused = standby && evidence.mayHaveLost(one, 0, Long.MAX_VALUE);
            if (!excused && !isStored(evidence.stored(), one)) {
                findings.add("D1: what was answered as confirmed is not in the ledger",
                        one.from(), 1, one);
            }
        } else if (evidence.durability().equals("ledger")) {
            findings.add("D1: it was answered before the ledger had it", one.from(), 1, one);
        }
    }

    private static boolean isStored(Stored stored, Operation one) {
        Stored.Order order = stored.orders.get(one.order());
        Stored.Grab grab = stored.grabs.get(one.order());
        return order != null && !order.status().equals("rejected")
                || grab != null && grab.confirmed();
    }
}
