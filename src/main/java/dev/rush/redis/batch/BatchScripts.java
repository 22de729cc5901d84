package dev.rush.redis.batch;

import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The script that returns the current tenure of a partition. */
@Singleton
class BatchScripts implements ScriptSet {

    static final Script TENURES = Script.load("redis/tenures");

    @Override
    public List<Script> scripts() {
        return List.of(TENURES);
    }
}
