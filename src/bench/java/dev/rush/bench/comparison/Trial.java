package dev.rush.bench.comparison;

import dev.rush.bench.Servers;
import dev.rush.bench.comparison.Move.Outcome;
import dev.rush.bench.wire.Wire;
import dev.rush.testing.Resp;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.HdrHistogram.Histogram;

/** One run of a way under a setup, on empty servers. A single thread runs all clients. */
final class Trial {
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);
    private static final long LATENCY_MAX_NANOS = Duration.ofMinutes(5).toNanos();
    private static final int IN_FLIGHT = 2;
    private static final long SEED = 20_261_120;

    private final Servers servers;
    private final Way way;
    private final Setup setup;
    private final Random random = new Random(SEED);
    private final Histogram latency = new Histogram(LATENCY_MAX_NANOS, 3);
    private final Map<Outcome, Long> outcomes = new EnumMap<>(Outcome.class);
    private final int[] begun;
    private double messagesOfPurchases;
    private long failedWithStock;

    /** An injected fault: the client dies after, or stalls before, this message of its attempt. */
    record Fault(boolean dies, int message) {
        static final Fault NONE = new Fault(false, 0);
        static final long STALL_NANOS = LockWay.EXPIRY.multipliedBy(2).toNanos();
    }

    private Trial(Servers servers, Way way, Setup setup) {
        this.servers = servers;
        this.way = way;
        this.begun = new int[way.shards()];
        this.setup = setup;
    }

    /** Runs the trial and counts the damage. */
    static Result run(Servers servers, Way way, Setup setup) {
        return new Trial(servers, way, setup).run();
    }

    private Result run() {
        servers.clear();
        for (int shard = 0; shard < way.shards(); shard++) {
            try (Resp redis = connect(shard)) {
                way.prepare(redis, shard, stock(shard));
            }
        }
        Wire wire = new Wire(ANSWER_LIMIT);
        for (int shard = 0; shard < way.shards(); shard++) {
            addClients(wire, shard);
        }
        List<Double> cpuBefore = servers.cpuSeconds();
        double seconds = wire.run().toNanos() / 1e9;
        List<Double> cpuAfter = servers.cpuSeconds();
        double cpu = 0;
        for (int i = 0; i < cpuBefore.size(); i++) {
            cpu = Math.max(cpu, cpuAfter.get(i) - cpuBefore.get(i));
        }
        return result(seconds, cpu);
    }

    private Result result(double seconds, double cpu) {
        long deducted = 0;
        long queued = 0;
        for (int shard = 0; shard < way.shards(); shard++) {
            try (Resp redis = connect(shard)) {
                deducted += way.deducted(redis, shard, stock(shard));
                queued += way.queued(redis, shard);
            }
        }
        long sold = of(Outcome.SOLD);
        if (setup.faults() == 0 && sold != queued) {
            throw new IllegalStateException(way.name() + ": clients bought " + sold + ", but "
                    + queued + " orders are queued");
        }
        long left = Math.max(0, setup.stock() - deducted);
        return new Result(way.name(), servers.name(), setup, setup.attempts() / seconds,
                latency.getValueAtPercentile(50) / 1e6, latency.getValueAtPercentile(99) / 1e6,
                failedWithStock, left, Math.max(0, queued - setup.stock()),
                Math.max(0, Math.min(deducted, setup.stock()) - queued),
                messagesOfPurchases / Math.max(1, sold), cpu * 1e6 / setup.attempts());
    }

    private void addClients(Wire wire, int shard) {
        InetSocketAddress address = new InetSocketAddress(
                InetAddress.getLoopbackAddress(), servers.port(way.tag(shard)));
        int clients = share(setup.clients(), shard);
        if (way.batch() == 1) {
            for (int i = 0; i < clients; i++) {
                wire.add(address, new AttemptSession(this, way, shard));
            }
            return;
        }
        BatchSession.BatchQueue queue =
                new BatchSession.BatchQueue(this, (RushWay) way, shard, clients);
        for (int i = 0; i < IN_FLIGHT; i++) {
            wire.add(address, queue.addSession());
        }
    }

    /** Returns the number of the next attempt on a shard; negative when all have begun. */
    int next(int shard) {
        return begun[shard] < share(setup.attempts(), shard)
                ? begun[shard]++ * way.shards() + shard : -1;
    }

    /** Draws the fault of the next attempt. */
    Fault fault() {
        if (random.nextInt(1_000) >= setup.faults()) {
            return Fault.NONE;
        }
        return new Fault(random.nextBoolean(), 1 + random.nextInt(way.messages()));
    }

    void ended(Outcome outcome, long nanos, double messages) {
        latency.recordValue(Math.min(nanos, LATENCY_MAX_NANOS));
        outcomes.merge(outcome, 1L, Long::sum);
        if (outcome == Outcome.SOLD) {
            messagesOfPurchases += messages;
        }
        if ((outcome == Outcome.CONFLICT || outcome == Outcome.BUSY)
                && of(Outcome.SOLD) < setup.stock()) {
            failedWithStock++;
        }
    }

    private long of(Outcome outcome) {
        return outcomes.getOrDefault(outcome, 0L);
    }

    private int stock(int shard) {
        return share(setup.stock(), shard);
    }

    private int share(int all, int shard) {
        return all / way.shards() + (shard < all % way.shards() ? 1 : 0);
    }

    private Resp connect(int shard) {
        return Resp.connect(servers.port(way.tag(shard)));
    }
}
