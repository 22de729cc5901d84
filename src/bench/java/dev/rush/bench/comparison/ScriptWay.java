package dev.rush.bench.comparison;

import static dev.rush.bench.wire.RedisProtocol.command;

import dev.rush.bench.comparison.Move.Outcome;
import dev.rush.testing.Resp;

/** The published scripts, which check and deduct the stock atomically. */
abstract class ScriptWay extends Way {
    static final String STOCK = CounterWay.STOCK;
    static final String ITEM = "{apple}:item";
    static final String BUYERS = "{apple}:buyers";
    static final String STREAM = "{apple}:orders";

    private final String script;
    String sha1;

    ScriptWay(String name, String about, int messages, String script) {
        super(name, about, messages);
        this.script = script;
    }

    @Override
    void prepare(Resp redis, int shard, int stock) {
        sha1 = load(redis, script);
        redis.command("SET", STOCK, Integer.toString(stock));
    }

    @Override
    long deducted(Resp redis, int shard, int stock) {
        return stock - number(redis.text("GET", STOCK));
    }

    @Override
    long queued(Resp redis, int shard) {
        return redis.number("LLEN", CounterWay.QUEUE);
    }

    /** Checks, deducts, records the buyer and queues the order, all in the script. */
    static final class SetAndQueue extends ScriptWay {
        SetAndQueue() {
            super("Set-and-queue script", """
                    One script: stock left, buyer not in a set of buyers, deduct, add to the set, \
                    `XADD` the order. A widely copied one, found \
                    in many course projects.""", 1, """
                    if tonumber(redis.call('GET', KEYS[1])) <= 0 then return 1 end
                    if redis.call('SISMEMBER', KEYS[2], ARGV[1]) == 1 then return 2 end
                    redis.call('DECR', KEYS[1])
                    redis.call('SADD', KEYS[2], ARGV[1])
                    redis.call('XADD', KEYS[3], '*', 'user', ARGV[1], 'order', ARGV[2])
                    return 0
                    """);
        }

        @Override
        Move attempt(int shard, String user, String order) {
            return send(command("EVALSHA", sha1, "3", STOCK, BUYERS, STREAM, user, order),
                    reply -> done(number(reply) == 0 ? Outcome.SOLD : Outcome.SOLD_OUT));
        }

        @Override
        long queued(Resp redis, int shard) {
            return redis.number("XLEN", STREAM);
        }
    }

    /** Checks and deducts in the script, and queues the order outside. */
    static final class DecrBy extends ScriptWay {
        DecrBy() {
            super("DECRBY script", """
                    One script compares the stock with the quantity and `DECRBY`s it; then \
                    `LPUSH` the order. The standard snippet of articles on overselling.""", 2, """
                    local stock = tonumber(redis.call('GET', KEYS[1]) or 0)
                    local quantity = tonumber(ARGV[1])
                    if stock < quantity then return -1 end
                    return redis.call('DECRBY', KEYS[1], quantity)
                    """);
        }

        @Override
        Move attempt(int shard, String user, String order) {
            return send(command("EVALSHA", sha1, "1", STOCK, "1"), left -> number(left) < 0
                    ? done(Outcome.SOLD_OUT) : CounterWay.push(order));
        }
    }

    /** Counts orders against a fixed total in the script, and queues the order outside. */
    static final class TotalOrdered extends ScriptWay {
        TotalOrdered() {
            super("Total/ordered script", """
                    A hash with the total and what is ordered; one script adds to the latter \
                    while it stays within the former; then `LPUSH` the order. The \
                    pattern of articles on flash sale architecture.""", 2, """
                    local item = redis.call('HMGET', KEYS[1], 'total', 'ordered')
                    local quantity = tonumber(ARGV[1])
                    if tonumber(item[2]) + quantity > tonumber(item[1]) then return 0 end
                    redis.call('HINCRBY', KEYS[1], 'ordered', quantity)
                    return quantity
                    """);
        }

        @Override
        void prepare(Resp redis, int shard, int stock) {
            super.prepare(redis, shard, stock);
            redis.command("HSET", ITEM, "total", Integer.toString(stock), "ordered", "0");
        }

        @Override
        Move attempt(int shard, String user, String order) {
            return send(command("EVALSHA", sha1, "1", ITEM, "1"), taken -> number(taken) == 0
                    ? done(Outcome.SOLD_OUT) : CounterWay.push(order));
        }

        @Override
        long deducted(Resp redis, int shard, int stock) {
            return number(redis.text("HGET", ITEM, "ordered"));
        }
    }
}
