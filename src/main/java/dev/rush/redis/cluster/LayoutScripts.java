package dev.rush.redis.cluster;

import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The script that sets the layout of hash tags. */
@Singleton
class LayoutScripts implements ScriptSet {

    static final Script LAYOUT = Script.unfenced("redis/layout");

    @Override
    public List<Script> scripts() {
        return List.of(LAYOUT);
    }
}
