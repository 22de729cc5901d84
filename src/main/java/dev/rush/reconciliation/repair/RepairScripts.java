package dev.rush.reconciliation.repair;

import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The scripts of repairs. */
@Singleton
class RepairScripts implements ScriptSet {

    static final Script RESTORE = Script.load("order/restore");
    static final Script CREDIT = Script.load("order/credit");
    static final Script ADJUST = Script.load("reconciliation/adjust");
    static final Script TOTAL = Script.load("reconciliation/total");
    static final Script REQUEUE = Script.load("reconciliation/requeue");
    static final Script REQUEUE_GRABS = Script.load("reconciliation/requeue-grabs");
    static final Script CLEAR = Script.load("reconciliation/clear");
    static final Script FILL = Script.load("reconciliation/fill");
    static final Script ACKNOWLEDGE = Script.load("ledger/acknowledge");
    static final Script RELEASE = Script.load("reconciliation/release");

    @Override
    public List<Script> scripts() {
        return List.of(ADJUST, TOTAL, REQUEUE, REQUEUE_GRABS, CLEAR, FILL, RELEASE);
    }
}
