package dev.rush.sale.shard;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A scan of all shards of a sale, each read at its own instant. What two consecutive scans find
 * unchanged was true in all shards at any instant between the two.
 *
 * @param states by the number of the shard; null for one that did not answer in time
 */
public record ShardScan(List<ShardState> states) {

    /** Whether every shard answered. */
    public boolean isComplete() {
        return states.stream().allMatch(Objects::nonNull);
    }

    /** Whether Redis has lost, or does not have yet, a shard that answered. */
    boolean isNotLoaded() {
        return states.stream().anyMatch(state -> state != null && !state.isLoaded());
    }

    /**
     * Whether all shards that Redis has share the first one's paused and closed state, and have
     * followed a change. Every shard must have answered.
     */
    public boolean agrees(long version) {
        return states.stream().allMatch(state -> !state.isKnown()
                || states.get(0).agrees(state) && state.control() >= version);
    }

    /**
     * Whether all shards that Redis has share the first one's title and times, and have followed a
     * change of them. Every shard must have answered.
     */
    public boolean sharesTimes(long version) {
        return states.stream().allMatch(state -> !state.isKnown()
                || Objects.equals(state.definition(), states.get(0).definition())
                && state.schedule() >= version);
    }

    /**
     * The version of the last change of times that any shard has followed. Every shard must have
     * answered.
     */
    public long schedule() {
        return states.stream().mapToLong(ShardState::schedule).max().orElse(0);
    }

    /**
     * The version of the last pause, resume or close that any shard has followed. Every shard must
     * have answered.
     */
    public long control() {
        return states.stream().mapToLong(ShardState::control).max().orElse(0);
    }

    long left(int shard, String sku) {
        ShardState state = states.get(shard);
        return state == null ? 0 : state.left(sku);
    }

    /** Units left in all shards together, without those in transfer. */
    long left(String sku) {
        long left = 0;
        for (int shard = 0; shard < states.size(); shard++) {
            left += left(shard, sku);
        }
        return left;
    }

    /** Transfers that are not finished, of all shards that answered. */
    public List<Transfer> pending() {
        List<Transfer> pending = new ArrayList<>();
        for (int shard = 0; shard < states.size(); shard++) {
            if (states.get(shard) != null) {
                pending.addAll(states.get(shard).pending(shard));
            }
        }
        return pending;
    }

    /**
     * The refusal if the shards together have too few units for these lines, in the order of a
     * purchase's refusals; null if they have enough.
     */
    @Nullable Borrowed shortage(Map<String, Long> lines) {
        for (String sku : lines.keySet()) {
            if (left(sku) <= 0) {
                return new Borrowed.SoldOut(sku);
            }
        }
        for (Map.Entry<String, Long> line : lines.entrySet()) {
            long left = left(line.getKey());
            if (left < line.getValue()) {
                return new Borrowed.Insufficient(line.getKey(), left);
            }
        }
        return null;
    }

    /** Whether no unit of these items can have become free between an earlier scan and this one. */
    boolean gainedNothingSince(ShardScan earlier, Collection<String> skus) {
        if (!isComplete() || !earlier.isComplete()) {
            return false;
        }
        for (int shard = 0; shard < states.size(); shard++) {
            ShardState before = earlier.states.get(shard);
            ShardState now = states.get(shard);
            if (!skus.stream().allMatch(sku -> now.gainedNothingSince(before, sku))) {
                return false;
            }
        }
        return true;
    }
}
