package dev.rush.bench.comparison;

import static dev.rush.bench.wire.RedisProtocol.command;
import static dev.rush.bench.wire.RedisProtocol.commands;

import dev.rush.bench.comparison.Move.Outcome;
import dev.rush.testing.Resp;

/** The ways that keep the stock in one counter and push accepted orders to a list. */
abstract class CounterWay extends Way {
    static final String STOCK = "{apple}:stock";
    static final String QUEUE = "{apple}:queue";

    CounterWay(String name, String about, int messages) {
        super(name, about, messages);
    }

    @Override
    void prepare(Resp redis, int shard, int stock) {
        redis.command("SET", STOCK, Integer.toString(stock));
    }

    @Override
    long deducted(Resp redis, int shard, int stock) {
        return stock - number(redis.text("GET", STOCK));
    }

    @Override
    long queued(Resp redis, int shard) {
        return redis.number("LLEN", QUEUE);
    }

    static Move push(String order) {
        return send(command("LPUSH", QUEUE, order), Way::sold);
    }

    private static byte[] transaction(String order) {
        return commands(command("MULTI"), command("DECR", STOCK), command("LPUSH", QUEUE, order),
                command("EXEC"));
    }

    /** Increments first, and checks afterwards whether that exceeded the total. */
    static final class IncrThenCompare extends CounterWay {
        private int total;

        IncrThenCompare() {
            super("INCR, then compare", """
                    `INCR` a counter of sales; a result above the total means sold out; then \
                    `LPUSH` the order. The counter pattern of the Redis documentation on `INCR`, \
                    in many write-ups of flash sales.""", 2);
        }

        @Override
        void prepare(Resp redis, int shard, int stock) {
            total = stock;
            redis.command("SET", STOCK, "0");
        }

        @Override
        Move attempt(int shard, String user, String order) {
            return send(command("INCR", STOCK),
                    count -> number(count) > total ? done(Outcome.SOLD_OUT) : push(order));
        }

        @Override
        long deducted(Resp redis, int shard, int stock) {
            return Math.min(stock, number(redis.text("GET", STOCK)));
        }
    }

    /** Checks first, and misses changes between the check and the transaction. */
    static final class MultiExec extends CounterWay {
        MultiExec() {
            super("MULTI/EXEC, check before", """
                    `GET` the stock; if it is positive, `DECR` and `LPUSH` in `MULTI`/`EXEC`. \
                    Common in tutorials that take a transaction for a lock.""", 2);
        }

        @Override
        Move attempt(int shard, String user, String order) {
            return send(command("GET", STOCK), stock -> number(stock) <= 0
                    ? done(Outcome.SOLD_OUT)
                    : new Move.Send(transaction(order), 4, Way::sold));
        }
    }

    /** As above, but the transaction fails if the stock has changed since the check. */
    static final class Watch extends CounterWay {
        Watch() {
            super("WATCH/MULTI/EXEC", """
                    `WATCH` and `GET` the stock, then `DECR` and `LPUSH` in `MULTI`/`EXEC`; a \
                    failed `EXEC` is reported to the buyer and not retried. The optimistic \
                    lock of the Redis documentation on transactions, as flash sale tutorials \
                    for Java and PHP use it.""", 3);
        }

        @Override
        Move attempt(int shard, String user, String order) {
            return send(command("WATCH", STOCK), watched -> send(command("GET", STOCK),
                    stock -> number(stock) <= 0
                            ? send(command("UNWATCH"), unwatched -> done(Outcome.SOLD_OUT))
                            : new Move.Send(transaction(order), 4, replies -> {
                                check(replies);
                                return done(replies == null ? Outcome.CONFLICT : Outcome.SOLD);
                            })));
        }
    }
}
