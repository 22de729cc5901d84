package dev.rush.sale.shard;

import dev.rush.RushConfig;
import dev.rush.redis.Shards;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Brings units to a shard that has too few, from the fullest others. Concurrent requests for the
 * same shard wait for the next round and share it, so that a crowd makes few transfers.
 *
 * <p>A refusal is final only after two consecutive scans found too few units in all shards
 * together, none in transfer and none that became free in between: then there was an instant at
 * which there were too few. So no purchase is answered sold-out because a unit was just in
 * transfer.
 */
@Singleton
public class Borrowing {

    private static final Logger LOG = Logger.getLogger(Borrowing.class);
    private static final Borrowed UNAVAILABLE = new Borrowed.Unavailable();
    private static final Borrowed BROUGHT = new Borrowed.Brought();

    private final Transfers transfers;
    private final SaleDurability durability;
    private final long deadlineNanos;
    private final Map<Home, Round> homes = new ConcurrentHashMap<>();

    @Inject
    Borrowing(Transfers transfers, SaleDurability durability, RushConfig config) {
        this.transfers = transfers;
        this.durability = durability;
        this.deadlineNanos = config.deadline().toNanos();
    }

    /** A shard to which units are brought, one round at a time. */
    private record Home(String sale, Shards shards, int shard) {
    }

    /** Requests that wait for the next round. */
    private static final class Round {
        private final List<Request> waiting = new ArrayList<>();
    }

    private record Request(Map<String, Long> lines, CompletableFuture<Borrowed> answer) {
    }

    /**
     * Brings the units that these lines need.
     *
     * @param deadline by {@link System#nanoTime()}
     * @return the result. Never fails.
     */
    public CompletableFuture<Borrowed> borrow(
            String sale, Shards shards, int shard, Map<String, Long> lines, long deadline) {
        CompletableFuture<Borrowed> answer = new CompletableFuture<>();
        Home home = new Home(sale, shards, shard);
        boolean[] first = {false};
        homes.compute(home, (same, round) -> {
            first[0] = round == null;
            Round next = round == null ? new Round() : round;
            next.waiting.add(new Request(lines, answer));
            return next;
        });
        if (first[0]) {
            nextRound(home);
        }
        long leftNanos = Math.max(0, deadline - System.nanoTime());
        return answer.completeOnTimeout(UNAVAILABLE, leftNanos, TimeUnit.NANOSECONDS);
    }

    /**
     * Brings free units of an item to a shard.
     *
     * @return whether they may be there now; they may also have been sold since
     */
    public CompletableFuture<Boolean> bring(
            String sale, Shards shards, int shard, String sku, long units) {
        return borrow(sale, shards, shard, Map.of(sku, units), System.nanoTime() + deadlineNanos)
                .thenApply(BROUGHT::equals);
    }

    /** Completes pending transfers between a sale's shards. Blocks, and fails if Redis does. */
    public void complete(String sale, Shards shards) {
        transfers.scan(sale, shards).thenCompose(scan -> transfers.complete(sale, shards,
                scan.pending(), durability.isReplicated(sale, scan))).join();
    }

    private void nextRound(Home home) {
        List<Request> requests = new ArrayList<>();
        homes.computeIfPresent(home, (same, round) -> {
            requests.addAll(round.waiting);
            round.waiting.clear();
            return requests.isEmpty() ? null : round;
        });
        if (!requests.isEmpty()) {
            CompletableFuture<Void> begin = CompletableFuture.completedFuture(null);
            begin.thenCompose(now -> serve(home, requests, null)).whenComplete((done, failure) -> {
                if (failure != null) {
                    LOG.error("Units could not be brought", failure);
                }
                requests.forEach(request -> request.answer.complete(UNAVAILABLE));
                nextRound(home);
            });
        }
    }

    /** Answers all requests, with as many scans as necessary. */
    private CompletableFuture<Void> serve(
            Home home, List<Request> requests, @Nullable ShardScan before) {
        return transfers.scan(home.sale, home.shards).thenCompose(scan -> {
            requests.removeIf(request -> request.answer.isDone());
            List<Request> met = new ArrayList<>(requests);
            met.removeIf(request -> scan.shortage(request.lines) != null);
            return move(home, met, scan).thenCompose(moves -> {
                met.forEach(request -> request.answer.complete(BROUGHT));
                requests.removeAll(met);
                return refuse(home, requests, before, scan, moves == 0);
            });
        });
    }

    /** Answers requests for which this scan found too few units, or scans again. */
    private CompletableFuture<Void> refuse(Home home, List<Request> requests,
            @Nullable ShardScan before, ShardScan scan, boolean nothingMoved) {
        List<Transfer> pending = scan.pending();
        if (!requests.isEmpty() && scan.isNotLoaded()) {
            requests.forEach(request -> request.answer.complete(new Borrowed.NotLoaded()));
        } else if (pending.isEmpty() && before != null) {
            requests.stream()
                    .filter(request -> scan.gainedNothingSince(before, request.lines.keySet()))
                    .forEach(request -> request.answer.complete(scan.shortage(request.lines)));
        }
        requests.removeIf(request -> request.answer.isDone());
        if (requests.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return transfers.complete(home.sale, home.shards, pending,
                durability.isReplicated(home.sale, scan)).handle((done, failure) -> null)
                .thenCompose(done ->
                        serve(home, requests, nothingMoved && pending.isEmpty() ? scan : null));
    }

    /** Moves the units that these requests lack, or all there are; returns how many transfers. */
    private CompletableFuture<Integer> move(Home home, List<Request> met, ShardScan scan) {
        Map<String, Long> wanted = new LinkedHashMap<>();
        met.forEach(request -> request.lines.forEach((sku, units) ->
                wanted.merge(sku, units, Long::sum)));
        List<CompletableFuture<Void>> moves = new ArrayList<>();
        boolean replicated = durability.isReplicated(home.sale, scan);
        wanted.forEach((sku, units) -> {
            long missing = units - scan.left(home.shard, sku);
            for (int source : fullest(home, scan, sku)) {
                if (missing > 0) {
                    moves.add(transfers.move(home.sale, home.shards, source, home.shard, sku,
                            missing, replicated));
                    missing -= scan.left(source, sku);
                }
            }
        });
        return CompletableFuture.allOf(moves.toArray(CompletableFuture[]::new))
                .handle((done, failure) -> moves.size());
    }

    /** The other shards that have some of an item, the fullest first. */
    private static List<Integer> fullest(Home home, ShardScan scan, String sku) {
        return IntStream.range(0, home.shards.count()).boxed()
                .filter(shard -> shard != home.shard && scan.left(shard, sku) > 0)
                .sorted(Comparator.comparing((Integer shard) -> -scan.left(shard, sku))).toList();
    }
}
