package dev.rush.nemesis.checker;

import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Offer;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.fault.Fault.Effect;
import dev.rush.nemesis.fault.InjectedFault;
import java.util.List;

/**
 * I14: a sale that Redis has lost sells nothing before its repair. I15: streams drain, and nothing
 * becomes a dead letter. I16: books balance in the end, and a run without faults raises no alarm.
 */
final class RecoveryCheck implements Check {
    /** Masters are emptied one after the other, so the last one sells for a moment longer. */
    private static final long EMPTYING_NANOS = 500_000_000L;

    @Override
    public void check(Evidence evidence, Findings findings) {
        Stored stored = evidence.stored();
        evidence.faults().injected().stream()
                .filter(fault -> fault.effects().contains(Effect.EMPTIES_REDIS))
                .forEach(fault -> checkEmptied(evidence, fault, findings));
        stored.waiting.forEach((partition, count) -> findings.add(
                "I15: a stream did not drain", 0, count, "partition " + partition + ": " + count));
        stored.deadLetters.forEach(id -> findings.add("I15: a dead letter", 0, 1, id));
        for (Offer offer : evidence.byOffer().keySet()) {
            Stored.Books books = stored.books.get(offer.id());
            boolean excused = offer.isRain() && evidence.mayHaveLost(offer);
            if (books != null && !books.verdict().equals("balanced") && !excused) {
                findings.add("I16: books do not balance in the end", 0, 1,
                        offer.id() + ": " + books.report());
            }
            if (stored.repaired.contains(offer.id()) && !evidence.mayHaveLost(offer)) {
                findings.add("I16: a repair was needed although Redis lost nothing", 0, 1,
                        offer.id());
            }
        }
        if (evidence.faults().none()) {
            stored.alarms.forEach((metric, value) -> {
                if (value > 0) {
                    findings.add("I16: an alarm without a fault", 0, Math.round(value),
                            metric + " " + value);
                }
            });
        }
    }

    private static void checkEmptied(Evidence evidence, InjectedFault emptied, Findings findings) {
        evidence.byOffer().forEach((offer, operations) -> {
            if (!offer.isRain() && wasPrepared(operations, emptied.from())) {
                operations.stream().filter(Evidence::isNewPurchase)
                        .filter(purchase -> purchase.from() >= emptied.from() + EMPTYING_NANOS
                                && purchase.to() <= emptied.to())
                        .filter(purchase -> emptied.partitions()
                                .contains(evidence.partition(purchase)))
                        .forEach(purchase -> findings.add(
                                "I14: a sale that Redis had lost sold before its repair",
                                purchase.from(), 1, purchase));
            }
        });
    }

    private static boolean wasPrepared(List<Operation> operations, long before) {
        return operations.stream().anyMatch(operation -> operation.kind() == Kind.PREPARE
                && operation.accepted() && operation.to() < before);
    }
}
