package dev.rush.ledger.writer;

import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The scripts of the writer. */
@Singleton
class WriterScripts implements ScriptSet {

    static final Script BACKLOG = Script.load("order/backlog");
    static final Script REPLAY = Script.load("order/replay");
    static final Script APPEND = Script.load("order/append");
    static final Script ACKNOWLEDGE = Script.load("ledger/acknowledge");
    static final Script REJECT = Script.load("ledger/reject");
    static final Script ENSURE = Script.load("order/ensure");

    @Override
    public List<Script> scripts() {
        return List.of(BACKLOG, REPLAY, APPEND, ACKNOWLEDGE, REJECT, ENSURE);
    }
}
