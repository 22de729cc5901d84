package dev.rush.rain;

import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The scripts of a rain. */
@Singleton
class RainScripts implements ScriptSet {

    static final Script PREPARE = Script.load("rain/prepare");
    static final Script FILL = Script.load("rain/fill");
    static final Script GRAB = Script.load("rain/grab");
    static final Script READ = Script.load("rain/read");
    static final Script GRABS = Script.load("rain/grabs");
    static final Script LEADERBOARD = Script.load("rain/leaderboard");

    @Override
    public List<Script> scripts() {
        return List.of(PREPARE, FILL, GRAB, READ, GRABS, LEADERBOARD);
    }
}
