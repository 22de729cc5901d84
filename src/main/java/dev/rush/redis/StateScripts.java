package dev.rush.redis;

import jakarta.inject.Singleton;
import java.util.List;

/** The scripts that sales and rains share. */
@Singleton
class StateScripts implements ScriptSet {

    static final Script STEER = Script.load("redis/steer");
    static final Script STEERED = Script.load("redis/steered");

    @Override
    public List<Script> scripts() {
        return List.of(STEER, STEERED);
    }
}
