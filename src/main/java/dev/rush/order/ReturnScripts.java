package dev.rush.order;

import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The scripts of returns. */
@Singleton
class ReturnScripts implements ScriptSet {

    static final Script FIND = Script.load("order/find");
    static final Script TOMBSTONE = Script.load("order/tombstone");

    @Override
    public List<Script> scripts() {
        return List.of(FIND, TOMBSTONE);
    }
}
