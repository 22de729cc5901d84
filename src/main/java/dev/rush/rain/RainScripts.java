package dev.rush.rain;

import dev.rush.redis.Partition;
import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The scripts of a rain and the keys they work on. */
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

    /** Keys of one rain; {@code parts} are as in docs/design.md. */
    static List<String> keys(Partition partition, String rain, String... parts) {
        return List.of(parts).stream().map(part -> key(partition, rain, part)).toList();
    }

    /** A key of one rain. */
    static String key(Partition partition, String rain, String part) {
        return partition.key("rain:" + rain + ":" + part);
    }

    /** Key of a partition that lists its rains, scored by when they were prepared. */
    static String index(Partition partition) {
        return partition.key("rains");
    }
}
