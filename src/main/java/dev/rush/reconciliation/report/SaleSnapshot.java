package dev.rush.reconciliation.report;

import dev.rush.redis.Partition;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A sale as read from Redis: each shard at its own instant.
 *
 * @param consistent whether no unit moved between shards between these instants, so that all
 *                   pending transfers are known
 */
record SaleSnapshot(List<Shard> shards, boolean consistent) {

    /**
     * A shard at one instant.
     *
     * @param last      last entry of its partition's stream
     * @param backlog   entries of that stream
     * @param word      loaded or not-loaded
     * @param transfers unfinished transfers from this shard: generation destination sku units
     * @param given     the queried transfers that were given to this shard
     */
    record Shard(Partition partition, long redisMs, long seq, String last, long backlog,
            String word, Map<String, String> stock, Map<String, String> transfers,
            Set<String> given) {

        boolean isLoaded() {
            return word.equals("loaded");
        }

        boolean has(String sku) {
            return stock.containsKey(sku + ":total");
        }

        long counter(String sku, String counter) {
            return Long.parseLong(stock.getOrDefault(sku + ":" + counter, "0"));
        }

        private boolean movedNothingSince(Shard earlier) {
            return transfers.equals(earlier.transfers) && moved().equals(earlier.moved());
        }

        private Map<String, String> moved() {
            Map<String, String> moved = new TreeMap<>(stock);
            moved.keySet().removeIf(
                    field -> !field.endsWith(":sent") && !field.endsWith(":received"));
            return moved;
        }
    }

    boolean isLoaded() {
        return shards.stream().allMatch(Shard::isLoaded);
    }

    /** Entries of the longest stream. */
    long backlog() {
        return shards.stream().mapToLong(Shard::backlog).max().orElse(0);
    }

    long redisMs() {
        return shards.get(0).redisMs;
    }

    /** A value that changes when the sale changes in Redis. */
    Object state() {
        return shards.stream().map(shard -> List.of(shard.seq, shard.word, shard.stock)).toList();
    }

    boolean movedNothingSince(SaleSnapshot earlier) {
        for (int i = 0; i < shards.size(); i++) {
            if (!shards.get(i).movedNothingSince(earlier.shards.get(i))) {
                return false;
            }
        }
        return true;
    }

    SaleSnapshot asConsistent() {
        return new SaleSnapshot(shards, true);
    }

    /** All transfers that some shard lists as unfinished. */
    Set<String> transfers() {
        Set<String> transfers = new HashSet<>();
        shards.forEach(shard -> transfers.addAll(shard.transfers.keySet()));
        return transfers;
    }

    /** Units of an item that were taken from a shard and not given to another. */
    long inTransfer(String sku) {
        if (!consistent) {
            return Math.max(0, sum(sku, "sent") - sum(sku, "received"));
        }
        Set<String> given = new HashSet<>();
        shards.forEach(shard -> given.addAll(shard.given));
        return shards.stream().flatMap(shard -> shard.transfers.entrySet().stream())
                .filter(transfer -> !given.contains(transfer.getKey()))
                .map(transfer -> transfer.getValue().split(" "))
                .filter(words -> words[2].equals(sku))
                .mapToLong(words -> Long.parseLong(words[3])).sum();
    }

    private long sum(String sku, String counter) {
        return shards.stream().mapToLong(shard -> shard.counter(sku, counter)).sum();
    }
}
