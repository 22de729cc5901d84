package dev.rush.sale.shard;

import dev.rush.redis.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A shard of a sale as one look at Redis showed it.
 *
 * @param now       Redis's milliseconds
 * @param conf      terms and state; empty for an unknown sale
 * @param stock     counters; empty where Redis has none
 * @param transfers those that left here and are not finished, by id
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

    /** Whether its stock is here too. */
    public boolean isLoaded() {
        return isKnown() && !stock.isEmpty();
    }

    /** Whether an operator has paused it. */
    public boolean isPaused() {
        return "1".equals(conf.get("paused"));
    }

    /** When an operator closed it; 0 if nobody has. */
    public long closedAt() {
        return Long.parseLong(conf.getOrDefault("closed_at", "0"));
    }

    /** The version of the last pause, resume or end that it has followed. */
    long control() {
        return Long.parseLong(conf.getOrDefault("control", "0"));
    }

    /** The version of the last change of its title and times that it has followed. */
    long schedule() {
        return Long.parseLong(conf.getOrDefault("schedule", "0"));
    }

    /** Its terms, title and times, as JSON; null for an unknown sale. */
    public String definition() {
        return conf.get("definition");
    }

    /** Whether another shard is paused and closed as this one is. */
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

    /** The total of all shards, as the first one knows it. */
    public long whole(String sku) {
        return stock.containsKey(sku + ":whole") ? counter(sku, "whole") : counter(sku, "total");
    }

    /** The transfers that left here, the shard of this number, and are not finished. */
    List<Transfer> pending(int source) {
        List<Transfer> pending = new ArrayList<>();
        transfers.forEach((id, entry) -> pending.add(Transfer.of(id, source, entry, now)));
        return pending;
    }

    /** Whether no unit of an item can have come free here between an earlier look and this one. */
    boolean gainedNothingSince(ShardState earlier, String sku) {
        return counter(sku, "total") == earlier.counter(sku, "total")
                && counter(sku, "sent") == earlier.counter(sku, "sent")
                && counter(sku, "received") == earlier.counter(sku, "received")
                && counter(sku, "credited") == earlier.counter(sku, "credited")
                && counter(sku, "ordered") >= earlier.counter(sku, "ordered");
    }
}
