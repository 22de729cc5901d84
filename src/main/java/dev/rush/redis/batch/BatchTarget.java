package dev.rush.redis.batch;

import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Script;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What requests must have in common to share a script call. Targets are equal if their keys,
 * script, durability and order of words are.
 */
public final class BatchTarget {

    private final Script script;
    private final Keys keys;
    private final Supplier<List<String>> head;
    private final boolean replicated;
    private final boolean sharing;
    private final int hash;

    /**
     * A target that answers without waiting for replicas.
     *
     * @param script answers {@code now_ms}, {@code seq}, then one string per request
     * @param keys   the keys of the script
     * @param head   ARGV before the deadlines and the requests, evaluated for every call
     */
    public BatchTarget(Script script, Keys keys, Supplier<List<String>> head) {
        this(script, keys, head, false);
    }

    /**
     * A target that may wait for replicas.
     *
     * @param replicated whether granted requests are answered only once the master's replicas have
     *                   them
     */
    public BatchTarget(Script script, Keys keys, Supplier<List<String>> head,
            boolean replicated) {
        this(script, keys, head, replicated, false);
    }

    /**
     * A target that may wait for replicas and share a word.
     *
     * @param replicated whether granted requests are answered only once the master's replicas have
     *                   them
     * @param sharing    whether the requests' last word is sent once, before all other words: empty
     *                   if the requests of a call differ in it
     */
    public BatchTarget(Script script, Keys keys, Supplier<List<String>> head,
            boolean replicated, boolean sharing) {
        this.script = script;
        this.keys = keys;
        this.head = head;
        this.replicated = replicated;
        this.sharing = sharing;
        this.hash = 31 * script.name().hashCode() + keys.hashCode();
    }

    Script script() {
        return script;
    }

    Partition partition() {
        return keys.partition();
    }

    Keys keys() {
        return keys;
    }

    List<String> head() {
        return head.get();
    }

    /** Whether granted requests are answered only once the master's replicas have them. */
    public boolean isReplicated() {
        return replicated;
    }

    /**
     * Passes a call's words to a consumer: the shared one, if any; the first words of all requests;
     * their second ones; and so on.
     */
    void words(List<String[]> requests, Consumer<String> consumer) {
        String[] first = requests.get(0);
        int last = first.length - 1;
        if (sharing) {
            boolean isShared = requests.stream().allMatch(
                    words -> words[last].equals(first[last]));
            consumer.accept(isShared ? first[last] : "");
        }
        for (int place = 0; place <= (sharing ? last - 1 : last); place++) {
            for (String[] words : requests) {
                consumer.accept(words[place]);
            }
        }
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof BatchTarget target && hash == target.hash
                && replicated == target.replicated && sharing == target.sharing
                && script.name().equals(target.script.name()) && keys.equals(target.keys);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
