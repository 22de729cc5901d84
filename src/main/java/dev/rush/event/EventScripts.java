package dev.rush.event;

import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The scripts that forward accepted orders to a message queue if there is no ledger. */
@Singleton
class EventScripts implements ScriptSet {

    static final Script LEASE = Script.load("event/lease");
    static final Script FORWARDED = Script.load("event/forwarded");

    @Override
    public List<Script> scripts() {
        return List.of(LEASE, FORWARDED);
    }
}
