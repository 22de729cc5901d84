package dev.rush.nemesis.checker;

import dev.rush.nemesis.client.History;
import dev.rush.nemesis.fault.InjectedFault;
import java.util.List;

/**
 * Checks a run against the invariants I1 to I16 and D1 of docs/guarantees.md, which also says what
 * the checker cannot detect.
 */
public final class Checker {
    private static final List<Check> CHECKS = List.of(new StockCheck(), new LimitCheck(),
            new OrderCheck(), new DurabilityCheck(), new KeyCheck(), new ReturnCheck(),
            new RainCheck(), new RecoveryCheck(), new RefusalCheck(), new ControlCheck());

    private Checker() {
    }

    /** Returns the broken rules; durability is the pods' {@code rush.durability}. */
    public static Findings check(
            History history, List<InjectedFault> faults, Stored stored, String durability) {
        return check(new Evidence(history.operations(), new FaultLog(faults), stored,
                history::wallMs, durability));
    }

    static Findings check(Evidence evidence) {
        Findings findings = new Findings();
        CHECKS.forEach(check -> check.check(evidence, findings));
        return findings;
    }
}
