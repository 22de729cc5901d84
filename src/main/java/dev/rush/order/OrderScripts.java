package dev.rush.order;

import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The scripts of the ledger. */
@Singleton
class OrderScripts implements ScriptSet {

    static final Script BACKLOG = Script.load("order/backlog");
    static final Script REPLAY = Script.load("order/replay");
    static final Script APPEND = Script.load("order/append");
    static final Script RECORD = Script.load("order/record");
    static final Script SEARCH = Script.load("order/search");
    static final Script TOMBSTONE = Script.load("order/tombstone");
    static final Script CREDIT = Script.load("order/credit");

    @Override
    public List<Script> scripts() {
        return List.of(BACKLOG, REPLAY, APPEND, RECORD, SEARCH, TOMBSTONE, CREDIT);
    }
}
