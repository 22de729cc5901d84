package dev.rush.redis;

import jakarta.inject.Singleton;
import java.util.List;

/** The scripts that sales and rains share, and that of the layouts. */
@Singleton
class StateScripts implements ScriptSet {

    static final Script STEER = Script.load("redis/steer");
    static final Script STEERED = Script.load("redis/steered");
    static final Script LAYOUT = Script.unfenced("redis/layout");

    @Override
    public List<Script> scripts() {
        return List.of(STEER, STEERED, LAYOUT);
    }
}
