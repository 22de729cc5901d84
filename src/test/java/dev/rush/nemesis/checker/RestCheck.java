package dev.rush.nemesis.checker;

import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Offer;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.fault.Fault.Effect;
import dev.rush.nemesis.fault.Injected;
import java.util.List;

/**
 * I14: a sale that Redis has lost sells nothing before an operator repairs it. I15: streams are
 * drained, and nothing became a dead letter. I16: books are balanced in the end, and a run without
 * faults raises no alarm.
 */
final class RestCheck implements Check {
    /** The masters are emptied one after the other; meanwhile the last of them still sells. */
    private static final long EMPTYING_NANOS = 500_000_000L;

    @Override
    public void judge(Evidence evidence, Findings findings) {
        Stored stored = evidence.stored();
        evidence.faults().injected().stream()
                .filter(one -> one.effects().contains(Effect.EMPTIES))
                .forEach(one -> judgeEmptied(evidence, one, findings));
        stored.waiting.forEach((partition, count) -> findings.add(
                "I15: a stream is not drained", 0, count, "partition " + partition + ": " + count));
        stored.deadLetters.forEach(id -> findings.add("I15: a dead letter", 0, 1, id));
        for (Offer offer : evidence.byOffer().keySet()) {
            Stored.Books books = stored.books.get(offer.id());
            boolean excused = offer.isRain() && evidence.mayHaveLost(offer);
            if (books != null && !books.verdict().equals("balanced") && !excused) {
                findings.add("I16: books are not balanced in the end", 0, 1,
                        offer.id() + ": " + books.report());
            }
            if (stored.repaired.contains(offer.id()) && !evidence.mayHaveLost(offer)) {
                findings.add("I16: a repair was needed though nothing was lost", 0, 1, offer.id());
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

    private static void judgeEmptied(Evidence evidence, Injected emptied, Findings findings) {
        evidence.byOffer().forEach((offer, operations) -> {
            if (!offer.isRain() && wasPrepared(operations, emptied.from())) {
                operations.stream().filter(Evidence::accepts)
                        .filter(one -> one.from() >= emptied.from() + EMPTYING_NANOS
                                && one.to() <= emptied.to())
                        .filter(one -> emptied.partitions().contains(evidence.partition(one)))
                        .forEach(one -> findings.add(
                                "I14: sold what Redis had lost, before any repair", one.from(), 1,
                                one));
            }
        });
    }

    private static boolean wasPrepared(List<Operation> operations, long before) {
        return operations.stream().anyMatch(one -> one.kind() == Kind.PREPARE && one.accepted()
                && one.to() < before);
    }
}
