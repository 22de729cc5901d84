package dev.rush.reconciliation.retention;

import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The scripts of retention. */
@Singleton
class RetentionScripts implements ScriptSet {

    static final Script RETIRE = Script.load("reconciliation/retire");

    @Override
    public List<Script> scripts() {
        return List.of(RETIRE);
    }
}
