package dev.rush.redis;

import jakarta.inject.Singleton;
import java.util.List;

/** The script that gives hash tags their layout. */
@Singleton
class LayoutScripts implements ScriptSet {

    static final Script LAYOUT = Script.unfenced("redis/layout");

    @Override
    public List<Script> scripts() {
        return List.of(LAYOUT);
    }
}
