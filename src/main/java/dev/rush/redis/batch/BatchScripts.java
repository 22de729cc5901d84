package dev.rush.redis.batch;

import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The script that records the current tenure of a partition and returns the latest ones. */
@Singleton
public class BatchScripts implements ScriptSet {

    /** Its keys are the partition's sequence and tenures; it has no arguments. */
    public static final Script TENURES = Script.load("redis/tenures");

    @Override
    public List<Script> scripts() {
        return List.of(TENURES);
    }
}
