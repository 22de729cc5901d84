package dev.rush.bench.comparison;

import dev.rush.bench.wire.RedisProtocol;
import dev.rush.testing.Resp;
import java.util.function.Function;

/**
 * A published way of deducting stock. All keys of an item share a hash tag, so each way also runs
 * on a cluster.
 */
abstract class Way {
    private final String name;
    private final String about;
    private final int messages;

    /**
     * Creates a way.
     *
     * @param about what it does and where it is published, in Markdown
     * @param messages messages of a purchase without conflicts or retries
     */
    Way(String name, String about, int messages) {
        this.name = name;
        this.about = about;
        this.messages = messages;
    }

    final String name() {
        return name;
    }

    final String about() {
        return about;
    }

    final int messages() {
        return messages;
    }

    /** Into how many shards the stock is split, each with its share of the clients. */
    int shards() {
        return 1;
    }

    /** The maximum number of attempts per message. */
    int batch() {
        return 1;
    }

    /** Returns the hash tag of a shard, which determines its master. */
    String tag(int shard) {
        return "apple";
    }

    /** Stores the stock on an empty server. */
    abstract void prepare(Resp redis, int shard, int stock);

    /** Returns the first step of an attempt to buy one unit. */
    abstract Move attempt(int shard, String user, String order);

    /** Counts the units that are no longer in stock, from the data in Redis. */
    abstract long deducted(Resp redis, int shard, int stock);

    /** Counts the queued orders, from the data in Redis. */
    abstract long queued(Resp redis, int shard);

    static Move.Send send(byte[] message, Function<Object, Move> then) {
        return new Move.Send(message, 1, then);
    }

    static Move done(Move.Outcome outcome) {
        return new Move.Done(outcome);
    }

    /** Any reply except an error makes the client believe that it has bought. */
    static Move sold(Object reply) {
        check(reply);
        return done(Move.Outcome.SOLD);
    }

    /** Fails the run on an error reply, which is a bug in the bench. */
    static void check(Object reply) {
        if (reply instanceof RedisProtocol.Failure failure) {
            throw new IllegalStateException(failure.message());
        }
    }

    static long number(Object reply) {
        check(reply);
        return reply == null ? 0 : Long.parseLong(reply.toString());
    }

    static String load(Resp redis, String script) {
        return redis.text("SCRIPT", "LOAD", script);
    }
}
