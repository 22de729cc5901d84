package dev.rush.bench.comparison;

import dev.rush.bench.wire.RedisProtocol;
import dev.rush.testing.Resp;
import java.util.function.Function;

/**
 * A published way of deducting stock. All keys of one item share a hash tag, so each way runs on
 * one Redis and on a cluster alike.
 */
abstract class Way {
    private final String name;
    private final String about;
    private final int messages;

    /**
     * A way.
     *
     * @param about what it does and where it is published
     * @param messages how many a purchase takes when nothing comes between
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

    /** How many stocks of its own the item is split into, each for its share of the clients. */
    int shards() {
        return 1;
    }

    /** How many attempts travel in one message. */
    int batch() {
        return 1;
    }

    /** The hash tag of a shard, which says on which master it lies. */
    String tag(int shard) {
        return "apple";
    }

    /** Puts stock where the way looks for it; the server is empty. */
    abstract void prepare(Resp redis, int shard, int stock);

    /** Begins an attempt to buy one unit. */
    abstract Move attempt(int shard, String user, String order);

    /** Units that are no longer in stock, by the data. */
    abstract long deducted(Resp redis, int shard, int stock);

    /** Orders that wait to be written to a database, by the data. */
    abstract long queued(Resp redis, int shard);

    static Move.Send send(byte[] message, Function<Object, Move> then) {
        return new Move.Send(message, 1, then);
    }

    static Move done(Move.Outcome outcome) {
        return new Move.Done(outcome);
    }

    /** Any reply but an error means that the client may believe to have bought. */
    static Move sold(Object reply) {
        check(reply);
        return done(Move.Outcome.SOLD);
    }

    /** An error here is a defect of the bench, so it ends the run. */
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
