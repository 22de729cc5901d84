package dev.rush.http.limit;

import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The script of the blocklist. */
@Singleton
class BlocklistScripts implements ScriptSet {

    static final Script BLOCK = Script.load("http/block");

    @Override
    public List<Script> scripts() {
        return List.of(BLOCK);
    }
}
