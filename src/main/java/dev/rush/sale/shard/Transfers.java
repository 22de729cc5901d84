package dev.rush.sale.shard;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Reply;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.RedisCommands;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Moves units between the shards of a sale: takes first, which leaves a note in the source; gives
 * second, once per transfer; then removes the note. Any pod that finds a note completes the
 * transfer, so that a pod may die at any point, and a call with unknown outcome needs no special
 * handling: it left a note, or did nothing.
 */
@Singleton
public class Transfers {

    /** A shard that does not answer within this time is left out of a scan. */
    private static final long SCAN_MS = 250;

    private final RedisCommands redis;
    private final Counter transfers;
    private final Counter units;

    @Inject
    Transfers(RedisCommands redis, MeterRegistry registry) {
        this.redis = redis;
        this.transfers = Counter.builder("rush.transfers")
                .description("Transfers of units between shards").register(registry);
        this.units = Counter.builder("rush.transfers.units")
                .description("Units transferred between shards").register(registry);
    }

    /** Reads one shard. */
    public CompletableFuture<ShardState> read(String sale, Partition shard) {
        return redis.script(ShardScripts.READ,
                shard.keys().sale(sale, "conf", "stock", "transfers"), List.of())
                .thenApply(ShardState::of);
    }

    /** Reads all shards that answer. Never fails. */
    public CompletableFuture<ShardScan> scan(String sale, Shards shards) {
        return shards.each(shard -> read(sale, shard)
                .completeOnTimeout(null, SCAN_MS, TimeUnit.MILLISECONDS)
                .exceptionally(failure -> null)).thenApply(ShardScan::new);
    }

    /**
     * Moves at least {@code min} units and at least half of those that the source has left, or all
     * of them if it has fewer. An interrupted transfer is completed by the next pod that finds it.
     *
     * @param replicated whether replicas must have what was taken before it is given: a failover
     *                   that lost it would double the units
     */
    CompletableFuture<Void> move(String sale, Shards shards, int source, int destination,
            String sku, long min, boolean replicated) {
        String id = UuidCreator.getTimeOrderedEpochFast().toString();
        Keys keys = shards.get(source).keys().sale(sale, "conf", "stock", "transfers")
                .unfinished();
        List<String> args = List.of(id, Integer.toString(destination), sku, Long.toString(min),
                ShardScripts.transferNote(sale));
        return (replicated ? redis.replicatedScript(ShardScripts.TAKE, keys, args)
                : redis.script(ShardScripts.TAKE, keys, args))
                .thenCompose(reply -> {
                    String[] words = reply.word().split(" ");
                    return !words[0].equals("taken")
                            ? CompletableFuture.<Void>completedFuture(null)
                            : complete(sale, shards, new Transfer(id, source, words[1], destination,
                                    sku, Long.parseLong(words[2]), 0));
                });
    }

    /**
     * Completes transfers that another pod may have begun; fails if one cannot be completed.
     *
     * @param replicated as for {@link #move}
     */
    public CompletableFuture<Void> complete(String sale, Shards shards,
            Collection<Transfer> pending, boolean replicated) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        pending.forEach(transfer -> all.add(replicated ? retake(sale, shards, transfer)
                : complete(sale, shards, transfer)));
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
    }

    /** Completes a transfer once the replicas of the source have what was taken. */
    private CompletableFuture<Void> retake(String sale, Shards shards, Transfer transfer) {
        Keys notes = shards.get(transfer.source()).keys().sale(sale, "transfers");
        return redis.replicatedScript(ShardScripts.RETAKE, notes, List.of(transfer.id()))
                .thenCompose(reply -> reply.word().equals("gone")
                        ? CompletableFuture.completedFuture(null)
                        : complete(sale, shards, transfer));
    }

    private CompletableFuture<Void> complete(String sale, Shards shards, Transfer transfer) {
        Partition from = shards.get(transfer.source());
        Partition to = shards.get(transfer.destination());
        return redis.script(ShardScripts.GIVE, to.keys().sale(sale, "conf", "stock", "received"),
                List.of(transfer.id(), transfer.generation(), transfer.sku(),
                        Long.toString(transfer.units())))
                .thenCompose(reply -> {
                    String word = reply.word();
                    if (word.equals("given")) {
                        transfers.increment();
                        units.increment(transfer.units());
                    }
                    // A shard that Redis has lost gets nothing; a rebuild distributes the units
                    // anew.
                    return word.equals("not-loaded") ? CompletableFuture.completedFuture(null)
                            : finish(sale, from, transfer.id());
                }).thenAccept(done -> { });
    }

    /** Removes finished transfers of a shard, and its note of the sale once none is left. */
    public CompletableFuture<Reply> finish(String sale, Partition from, String... finished) {
        List<String> args = new ArrayList<>(List.of(ShardScripts.transferNote(sale)));
        args.addAll(List.of(finished));
        return redis.script(ShardScripts.FINISH,
                from.keys().sale(sale, "transfers").unfinished(), args);
    }
}
