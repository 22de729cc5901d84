package dev.rush.sale.shard;

import dev.rush.redis.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A shard of a sale as read from Redis.
 *
 * @param now       Redis's milliseconds
 * @param conf      terms and state; empty for an unknown sale
 * @param stock     counters; empty if Redis has none
 * @param transfers unfinished transfers from this shard, by id
 */
public record ShardState(long now, Map<String, String> conf, Map<String, String> stock,
        Map<String, String> transfers) {

    /** The state in a reply of {@code read.lua}. */
    static ShardState of(Reply reply) {
        long now = reply.at(0).number();
        return reply.size() == 1 ? new ShardState(now, Map.of(), Map.of(), Map.of())
                : new ShardState(now, reply.at(1).pairs(), reply.at(2).pairs(),
                        reply.at(3).pairs());
    }

    /** Whether Redis has the sale here. */
    public boolean isKnown() {
        return !conf.isEmpty();
    }

    /** Whether Redis has its stock too. */
    public boolean isLoaded() {
        return isKnown() && !stock.isEmpty();
    }

    /** Whether an operator has paused it. */
    public boolean isPaused() {
        return "1".equals(conf.get("paused"));
    }

    /** When an operator closed it; 0 if it was not closed. */
    public long closedAt() {
        return Long.parseLong(conf.getOrDefault("closed_at", "0"));
    }

    /** The version of the last pause, resume or close that it has followed. */
    long control() {
        return Long.parseLong(conf.getOrDefault("control", "0"));
    }

    /** The version of the last change of its title and times that it has followed. */
    long schedule() {
        return Long.parseLong(conf.getOrDefault("schedule", "0"));
    }

    /** Its terms, title and times, as JSON; null for an unknown sale. */
    public @Nullable String definition() {
        return conf.get("definition");
    }

    /** Whether another shard has the same paused and closed state. */
    boolean agrees(ShardState other) {
        return isPaused() == other.isPaused() && closedAt() > 0 == other.closedAt() > 0;
    }

    /** A counter of an item; 0 if there is none. */
    public long counter(String sku, String counter) {
        return Long.parseLong(stock.getOrDefault(sku + ":" + counter, "0"));
    }

    long left(String sku) {
        return counter(sku, "total") - counter(sku, "ordered");
    }

    /** The total of all shards, as stored in the first one. */
    public long whole(String sku) {
        return stock.containsKey(sku + ":whole") ? counter(sku, "whole") : counter(sku, "total");
    }

    /** The unfinished transfers from this shard, given its number. */
    List<Transfer> pending(int source) {
        List<Transfer> pending = new ArrayList<>();
        transfers.forEach((id, entry) -> pending.add(Transfer.of(id, source, entry, now)));
        return pending;
    }

    /**
     * Whether no unit of an item can have become free here between an earlier read and this one.
     */
    boolean gainedNothingSince(ShardState earlier, String sku) {
        return counter(sku, "total") == earlier.counter(sku, "total")
                && counter(sku, "sent") == earlier.counter(sku, "sent")
                && counter(sku, "received") == earlier.counter(sku, "received")
                && counter(sku, "credited") == earlier.counter(sku, "credited")
                && counter(sku, "ordered") >= earlier.counter(sku, "ordered");
    }
}
