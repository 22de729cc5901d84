package dev.rush.nemesis.checker;

import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Offer;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import dev.rush.nemesis.fault.Fault.Effect;
import java.util.List;

/**
 * A purchase is refused as paused, closed, not open or unknown only if the sale may have been so,
 * and none is accepted while the sale certainly was. A failover may undo a change, so a loss
 * excuses both.
 */
final class ControlCheck implements Check {
    private static final long CLOCKS_MS = 250;
    /** After this, a change of unknown outcome has taken effect or never will. */
    private static final long LATE_NANOS = 5_000_000_000L;

    @Override
    public void judge(Evidence evidence, Findings findings) {
        evidence.byOffer().forEach((offer, operations) -> {
            List<Operation> controls = operations.stream()
                    .filter(one -> one.kind().controls() && one.mayHaveHappened()).toList();
            for (Operation one : operations) {
                if (one.kind() == Kind.PURCHASE && one.outcome() == Outcome.REFUSED) {
                    judgeRefused(evidence, offer, one, controls, findings);
                } else if (Evidence.accepts(one)) {
                    judgeAccepted(evidence, offer, one, controls, findings);
                } else if (one.outcome() == Outcome.REFUSED && one.word().equals("unknown-order")
                        && one.order() != null
                        && !evidence.mayHaveLost(one, 0, Long.MAX_VALUE)) {
                    findings.add("refusals: unknown-order of an answered order", one.from(), 1,
                            one);
                }
            }
        });
    }

    private static void judgeRefused(Evidence evidence, Offer offer, Operation refused,
            List<Operation> controls, Findings findings) {
        boolean legal = switch (refused.word()) {
            case "paused" -> controls.stream().anyMatch(one -> one.kind() == Kind.PAUSE
                    && one.from() <= refused.to()
                    && !isResumed(one, refused.from(), controls));
            case "closed" -> controls.stream().anyMatch(
                    one -> one.kind() == Kind.CLOSE && one.from() <= refused.to());
            case "not-open" -> evidence.wallMs(refused.from()) < offer.opensAtMs() + CLOCKS_MS
                    || offer.opensAtMs() > 0 && isClockShifted(evidence, refused);
            case "unknown-sale", "unknown-item" -> false;
            default -> true;
        };
        boolean excused = !refused.word().equals("not-open")
                && evidence.mayHaveLost(offer);
        if (!legal && !excused) {
            findings.add("refusals: " + refused.word() + " could not be", refused.from(), 1,
                    refused + " controls " + controls);
        }
    }

    private static boolean isClockShifted(Evidence evidence, Operation one) {
        return evidence.faults().had(Effect.SHIFTS_CLOCK, one.from() - LATE_NANOS, one.to());
    }

    private static boolean isResumed(Operation pause, long before, List<Operation> controls) {
        long after = pause.to() + (pause.outcome() == Outcome.OK ? 0 : LATE_NANOS);
        return controls.stream().anyMatch(one -> one.kind() == Kind.RESUME
                && one.outcome() == Outcome.OK && one.from() >= Math.min(after, one.to())
                && one.to() <= before && one.from() >= pause.to());
    }

    private static void judgeAccepted(Evidence evidence, Offer offer, Operation accepted,
            List<Operation> controls, Findings findings) {
        boolean excused = evidence.mayHaveLost(offer);
        for (Operation one : controls) {
            boolean before = one.outcome() == Outcome.OK && one.to() < accepted.from();
            if (one.kind() == Kind.CLOSE && before && !excused) {
                findings.add("control: a closed sale sold", accepted.from(), 1,
                        one + " | " + accepted);
            }
            if (one.kind() == Kind.PAUSE && before && !excused && controls.stream().noneMatch(
                    other -> other.kind() == Kind.RESUME && other.from() <= accepted.to()
                    && other.to() >= one.from())) {
                findings.add("control: a paused sale sold", accepted.from(), 1,
                        one + " | " + accepted);
            }
        }
        if (offer.opensAtMs() > 0 && !isClockShifted(evidence, accepted)
                && evidence.wallMs(accepted.to()) < offer.opensAtMs() - CLOCKS_MS) {
            findings.add("control: a sale sold before it opened", accepted.from(), 1, accepted);
        }
    }
}
