package dev.rush.redis.batch;

import dev.rush.redis.Script;
import dev.rush.redis.ScriptSet;
import jakarta.inject.Singleton;
import java.util.List;

/** The script that tells in which epoch a partition's requests are answered. */
@Singleton
class BatchScripts implements ScriptSet {

    static final Script EPOCHS = Script.load("redis/epochs");

    @Override
    public List<Script> scripts() {
        return List.of(EPOCHS);
    }
}
