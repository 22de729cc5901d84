package dev.rush.sale.shard;

import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The scripts of single shards, and the names of their notes. */
@Singleton
public class ShardScripts implements ScriptSet {

    static final Script ENSURE = Script.load("sale/ensure");
    static final Script READ = Script.load("sale/read");
    static final Script TAKE = Script.load("sale/take");
    static final Script RETAKE = Script.load("sale/retake");
    static final Script GIVE = Script.load("sale/give");
    static final Script FINISH = Script.load("sale/finish");

    @Override
    public List<Script> scripts() {
        return List.of(ENSURE, READ, TAKE, RETAKE, GIVE, FINISH);
    }

    /** The name of the note of a state change that not all shards may have followed yet. */
    public static String controlNote(String sale) {
        return "control " + sale;
    }

    /** The name of the note of new times that not all shards may have yet. */
    public static String scheduleNote(String sale) {
        return "schedule " + sale;
    }

    /** The name of the note of transfers from a shard that may not be finished. */
    static String transferNote(String sale) {
        return "transfer " + sale;
    }
}
