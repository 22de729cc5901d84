package dev.rush.redis;

import java.util.List;
import java.util.function.Supplier;

/**
 * What requests must share to travel in one script call. Targets are equal when their keys and
 * script are.
 */
public final class BatchTarget {

    private final Script script;
    private final Partition partition;
    private final List<String> keys;
    private final Supplier<List<String>> head;
    private final int hash;

    /**
     * A target.
     *
     * @param script    answers {@code now_ms}, {@code seq}, then one string per request
     * @param partition where all keys lie
     * @param keys      KEYS of the script
     * @param head      ARGV before those of the requests, asked for at every call
     */
    public BatchTarget(Script script, Partition partition, List<String> keys,
            Supplier<List<String>> head) {
        this.script = script;
        this.partition = partition;
        this.keys = List.copyOf(keys);
        this.head = head;
        this.hash = 31 * script.name().hashCode() + this.keys.hashCode();
    }

    Script script() {
        return script;
    }

    Partition partition() {
        return partition;
    }

    List<String> keys() {
        return keys;
    }

    List<String> head() {
        return head.get();
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof BatchTarget target && hash == target.hash
                && script.name().equals(target.script.name()) && keys.equals(target.keys);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
