package dev.rush.reconciliation.report;

import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The scripts of reports, which only read. */
@Singleton
class ReportScripts implements ScriptSet {

    static final Script SNAPSHOT = Script.load("reconciliation/snapshot");
    static final Script WAITING = Script.load("reconciliation/waiting");
    static final Script RAIN = Script.load("reconciliation/rain");

    @Override
    public List<Script> scripts() {
        return List.of(SNAPSHOT, WAITING, RAIN);
    }
}
