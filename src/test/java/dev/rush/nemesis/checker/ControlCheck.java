package dev.rush.nemesis.checker;

import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Offer;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import dev.rush.nemesis.fault.Fault.Effect;
import java.util.List;

/**
 * A purchase or grab is refused as paused, closed, not open or unknown only if the sale or rain may
 * have been, and none is accepted while it certainly was. Lost writes excuse both, because a
 * failover may undo a change.
 */
final class ControlCheck implements Check {
    /** Redis's clock may differ from the clients' by this much. */
    private static final long CLOCK_SKEW_MS = 250;
    /** By then a change of unknown outcome has taken effect or never will. */
    private static final long EFFECT_LIMIT_NANOS = 5_000_000_000L;

    @Override
    public void check(Evidence evidence, Findings findings) {
        evidence.byOffer().forEach((offer, operations) -> {
            List<Operation> controls = operations.stream()
                    .filter(operation -> operation.kind().controls()
                            && operation.mayHaveHappened())
                    .toList();
            for (Operation operation : operations) {
                if (operation.kind().takes()
                        && operation.outcome() == Outcome.REFUSED) {
                    checkRefused(evidence, offer, operation, controls, findings);
                } else if (operation.accepted() && Evidence.mayHaveTaken(operation)) {
                    checkAccepted(evidence, offer, operation, controls, findings);
                } else if (operation.outcome() == Outcome.REFUSED
                        && operation.word().equals("unknown-order")
                        && operation.order() != null
                        && !evidence.mayHaveLost(operation, 0, Long.MAX_VALUE)) {
                    findings.add("refusals: unknown-order for an answered order",
                            operation.from(), 1, operation);
                }
            }
        });
    }

    private static void checkRefused(Evidence evidence, Offer offer, Operation refused,
            List<Operation> controls, Findings findings) {
        boolean possible = switch (refused.word()) {
            case "paused" -> controls.stream().anyMatch(control -> control.kind() == Kind.PAUSE
                    && control.from() <= refused.to()
                    && !isResumed(control, refused.from(), controls));
            case "closed" -> controls.stream().anyMatch(control -> control.kind() == Kind.CLOSE
                    && control.from() <= refused.to());
            case "not-open" -> evidence.wallMs(refused.from()) < offer.opensAtMs() + CLOCK_SKEW_MS
                    || offer.opensAtMs() > 0 && isClockShifted(evidence, refused);
            case "unknown-sale", "unknown-item", "unknown-rain" -> false;
            default -> true;
        };
        boolean excused = !refused.word().equals("not-open")
                && evidence.mayHaveLost(offer);
        if (!possible && !excused) {
            findings.add("refusals: " + refused.word() + " was impossible", refused.from(), 1,
                    refused + " controls " + controls);
        }
    }

    private static boolean isClockShifted(Evidence evidence, Operation operation) {
        return evidence.faults().anyWith(
                Effect.SHIFTS_CLOCK, operation.from() - EFFECT_LIMIT_NANOS, operation.to());
    }

    private static boolean isResumed(Operation pause, long before, List<Operation> controls) {
        long after = pause.to() + (pause.outcome() == Outcome.OK ? 0 : EFFECT_LIMIT_NANOS);
        return controls.stream().anyMatch(resume -> resume.kind() == Kind.RESUME
                && resume.outcome() == Outcome.OK
                && resume.from() >= Math.min(after, resume.to())
                && resume.to() <= before && resume.from() >= pause.to());
    }

    private static void checkAccepted(Evidence evidence, Offer offer, Operation accepted,
            List<Operation> controls, Findings findings) {
        boolean excused = evidence.mayHaveLost(offer);
        String sold = offer.isRain() ? "rain was grabbed" : "sale sold";
        for (Operation control : controls) {
            boolean before = control.outcome() == Outcome.OK && control.to() < accepted.from();
            if (control.kind() == Kind.CLOSE && before && !excused) {
                findings.add("control: a closed " + sold, accepted.from(), 1,
                        control + " | " + accepted);
            }
            if (control.kind() == Kind.PAUSE && before && !excused && controls.stream().noneMatch(
                    resume -> resume.kind() == Kind.RESUME && resume.from() <= accepted.to()
                    && resume.to() >= control.from())) {
                findings.add("control: a paused " + sold, accepted.from(), 1,
                        control + " | " + accepted);
            }
        }
        if (offer.opensAtMs() > 0 && !isClockShifted(evidence, accepted)
                && evidence.wallMs(accepted.to()) < offer.opensAtMs() - CLOCK_SKEW_MS) {
            findings.add("control: a sale sold before it opened", accepted.from(), 1, accepted);
        }
    }
}
