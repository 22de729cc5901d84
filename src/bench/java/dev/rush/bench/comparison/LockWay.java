package dev.rush.bench.comparison;

import static dev.rush.bench.wire.RedisProtocol.command;

import dev.rush.bench.comparison.Move.Outcome;
import dev.rush.testing.Resp;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Reads and writes the stock under a lock: a key with an expiry. */
final class LockWay extends CounterWay {
    /** Published examples use 5 to 30 seconds; a dead holder stops the sale for that long. */
    static final Duration EXPIRY = Duration.ofMillis(500);
    private static final long LIMIT_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long BACKOFF_NANOS_MIN = Duration.ofMillis(1).toNanos();
    private static final long BACKOFF_NANOS_MAX = Duration.ofMillis(20).toNanos();
    private static final String LOCK = "{apple}:lock";
    private static final String RELEASE = """
            if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
            return 0
            """;
    private String release;

    LockWay() {
        super("Distributed lock", """
                `SET lock token NX PX`, retried for a second at random intervals of 1 to \
                20 ms; `GET` the stock, `SET` it one lower, `LPUSH` the order; release by a script \
                that checks the token. The lock of the Redis documentation with the critical \
                section of the usual tutorials.""", 5);
    }

    @Override
    void prepare(Resp redis, int shard, int stock) {
        super.prepare(redis, shard, stock);
        release = load(redis, RELEASE);
    }

    @Override
    Move attempt(int shard, String user, String order) {
        return lock(order, System.nanoTime() + LIMIT_NANOS);
    }

    private Move lock(String token, long untilNanos) {
        byte[] set = command("SET", LOCK, token, "NX", "PX", Long.toString(EXPIRY.toMillis()));
        return send(set, reply -> {
            check(reply);
            if (reply != null) {
                return sell(token);
            }
            if (System.nanoTime() - untilNanos > 0) {
                return done(Outcome.BUSY);
            }
            long pause = ThreadLocalRandom.current().nextLong(BACKOFF_NANOS_MIN, BACKOFF_NANOS_MAX);
            return new Move.Wait(pause, () -> lock(token, untilNanos));
        });
    }

    private Move sell(String token) {
        return send(command("GET", STOCK), stock -> {
            long left = number(stock);
            return left <= 0 ? release(token, Outcome.SOLD_OUT)
                    : send(command("SET", STOCK, Long.toString(left - 1)),
                            set -> send(command("LPUSH", QUEUE, token),
                                    pushed -> release(token, Outcome.SOLD)));
        });
    }

    private Move release(String token, Outcome outcome) {
        return send(command("EVALSHA", release, "1", LOCK, token), released -> {
            check(released);
            return done(outcome);
        });
    }
}
