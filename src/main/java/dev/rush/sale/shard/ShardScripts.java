package dev.rush.sale.shard;

import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The scripts of single shards, and how notes in them are named. */
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

    /** Names a change of a sale's state that not all shards may have followed yet. */
    public static String controlNote(String sale) {
        return "control " + sale;
    }

    /** Names other times of a sale that not all shards may have yet. */
    public static String scheduleNote(String sale) {
        return "schedule " + sale;
    }

    /** Names transfers that left a shard and may not be finished. */
    static String transferNote(String sale) {
        return "transfer " + sale;
    }
}
