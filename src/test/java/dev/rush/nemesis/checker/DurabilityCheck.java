package dev.rush.nemesis.checker;

import dev.rush.nemesis.client.Operation;
import java.util.Set;

/**
 * D1: an order that was answered as confirmed or reserved stays in the ledger, whatever Redis lost;
 * under {@code ledger} no other order is answered. After a failover of PostgreSQL, orders that both
 * stores may have lost are excused.
 */
final class DurabilityCheck implements Check {
    private static final Set<String> STORED = Set.of("confirmed", "reserved");

    @Override
    public void check(Evidence evidence, Findings findings) {
        boolean commitsLost = evidence.faults().mayHaveLostCommits(0);
        evidence.operations().stream()
                .filter(operation -> operation.kind().takes())
                .filter(Operation::accepted)
                .forEach(operation -> check(evidence, operation, commitsLost, findings));
    }

    private static void check(
            Evidence evidence, Operation answer, boolean commitsLost, Findings findings) {
        if (STORED.contains(answer.word())) {
            boolean excused = commitsLost && evidence.mayHaveLost(answer, 0, Long.MAX_VALUE);
            if (!excused && !evidence.stored().isValid(answer.order())) {
                findings.add("D1: an order answered as confirmed is not in the ledger",
                        answer.from(), 1, answer);
            }
        } else if (evidence.durability().equals("ledger")) {
            findings.add("D1: an order was answered before the ledger had it",
                    answer.from(), 1, answer);
        }
    }
}
