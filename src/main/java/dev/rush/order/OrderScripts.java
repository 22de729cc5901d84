package dev.rush.order;

import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The scripts that find orders in Redis, and that update them from the ledger. */
@Singleton
public class OrderScripts implements ScriptSet {

    static final Script RECORD = Script.load("order/record");
    static final Script SEARCH = Script.load("order/search");
    static final Script TOMBSTONE = Script.load("order/tombstone");
    static final Script CREDIT = Script.load("order/credit");
    static final Script RESTORE = Script.load("order/restore");
    static final Script REPORT = Script.load("order/report");
    public static final Script FORGET = Script.load("order/forget");

    @Override
    public List<Script> scripts() {
        return List.of(RECORD, SEARCH, TOMBSTONE, CREDIT, RESTORE, REPORT, FORGET);
    }
}
