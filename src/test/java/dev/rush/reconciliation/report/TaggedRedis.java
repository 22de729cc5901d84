package dev.rush.reconciliation.report;

import dev.rush.redis.Partition;
import dev.rush.redis.cluster.Gate;
import dev.rush.redis.cluster.RedisCommands;
import dev.rush.testing.ScriptedRedis;
import io.vertx.redis.client.RedisClientType;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A Redis with one reply for all partitions; it fails for some, and records which were called. */
public final class TaggedRedis implements AutoCloseable {
    private final ScriptedRedis server = ScriptedRedis.start();
    private final Gate gate = new Gate(RedisClientType.STANDALONE, List.of(server.port()),
            Map.of(), loss -> { });
    private final Set<String> failing = ConcurrentHashMap.newKeySet();
    private final Set<String> called = ConcurrentHashMap.newKeySet();

    /** Gives this reply to every call. */
    public TaggedRedis(String reply) {
        server.answer(words -> {
            String key = words.stream().filter(word -> word.startsWith("rush:{")).findFirst()
                    .orElseThrow();
            String tag = key.substring(key.indexOf('{') + 1, key.indexOf('}'));
            called.add(tag);
            return failing.contains(tag) ? ScriptedRedis.error("LAYOUT 96") : reply;
        });
    }

    public RedisCommands commands() {
        return gate.commands;
    }

    public void fail(Partition partition) {
        failing.add(partition.tag());
    }

    public boolean wasCalled(Partition partition) {
        return called.contains(partition.tag());
    }

    public void forgetCalls() {
        called.clear();
    }

    public void forget() {
        failing.clear();
        called.clear();
    }

    @Override
    public void close() throws Exception {
        gate.close();
        server.close();
    }
}
