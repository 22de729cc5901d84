package dev.rush.nemesis.checker;

import dev.rush.nemesis.client.History;
import dev.rush.nemesis.fault.Injected;
import java.util.List;

/**
 * Judges a run by the invariants I1 to I16 of docs/guarantees.md, which also says what of them the
 * checker does not see.
 */
public final class Checker {
    private static final List<Check> CHECKS = List.of(new StockCheck(), new LimitCheck(),
            new OrderCheck(), new DurabilityCheck(), new KeyCheck(), new ReturnCheck(),
            new RainCheck(), new RestCheck(), new RefusalCheck(), new ControlCheck());

    private Checker() {
    }

    /** Returns what is wrong; durability is the pods' {@code rush.durability}. */
    public static Findings judge(
            History history, List<Injected> faults, Stored stored, String durability) {
        return judge(new Evidence(history.operations(), new FaultLog(faults), stored,
                history::wallMs, durability));
    }

    static Findings judge(Evidence evidence) {
        Findings findings = new Findings();
        CHECKS.forEach(check -> check.judge(evidence, findings));
        return findings;
    }
}
