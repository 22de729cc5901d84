package dev.rush.bench.comparison;

import dev.rush.bench.comparison.Move.Outcome;
import dev.rush.bench.ledger.Buying;
import dev.rush.bench.wire.RedisProtocol;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.testing.Resp;
import java.util.ArrayList;
import java.util.List;

/**
 * The script of this service. It also checks the limit per user, the window and the pause, keeps
 * the idempotency record, and queues the order.
 */
final class RushWay extends Way {
    private static final Partitions PARTITIONS = new Partitions(64);

    private final int shards;
    private final int batch;
    private String sha1;

    RushWay(String name, String about, int shards, int batch) {
        super(name, about, 1);
        this.shards = shards;
        this.batch = batch;
    }

    @Override
    int shards() {
        return shards;
    }

    @Override
    int batch() {
        return batch;
    }

    @Override
    String tag(int shard) {
        return partition(shard).tag();
    }

    @Override
    void prepare(Resp redis, int shard, int stock) {
        sha1 = load(redis, Buying.PURCHASE.text());
        // Only the fields that purchase.lua reads.
        redis.command("HSET", key(shard, "conf"), "opens_at", "0", "closes_at", "0", "paused", "0",
                "closed_at", "0", "guard", "none", "guard_window", "0", "payment_window", "0",
                "returns_limit", "1", "orders_per_user", "20", "unpaid_holds", "3");
        redis.command("HSET", key(shard, "stock"), "unit:total", Integer.toString(stock),
                "unit:ordered", "0", "unit:limit", "1");
    }

    @Override
    Move attempt(int shard, String user, String order) {
        return send(call(shard, List.of(user), List.of(order)),
                reply -> done(outcomes(reply).get(0)));
    }

    /** Returns one call for several attempts. */
    byte[] call(int shard, List<String> users, List<String> orders) {
        return RedisProtocol.command(
                Buying.call(sha1, partition(shard), sale(shard), "unit", users, orders));
    }

    /** Returns the outcome of each attempt in a reply. */
    static List<Outcome> outcomes(Object reply) {
        check(reply);
        List<?> replies = (List<?>) reply;
        List<Outcome> outcomes = new ArrayList<>(replies.size() - 2);
        for (Object each : replies.subList(2, replies.size())) {
            String words = (String) each;
            if (words.startsWith("accepted ")) {
                outcomes.add(Outcome.SOLD);
            } else if (words.startsWith("sold-out")) {
                outcomes.add(Outcome.SOLD_OUT);
            } else {
                throw new IllegalStateException("the purchase script answered " + words);
            }
        }
        return outcomes;
    }

    @Override
    long deducted(Resp redis, int shard, int stock) {
        return number(redis.text("HGET", key(shard, "stock"), "unit:ordered"));
    }

    @Override
    long queued(Resp redis, int shard) {
        // An entry has five words, plus six for each order.
        return redis.list("XRANGE", partition(shard).key("orders"), "-", "+").stream()
                .map(entry -> ((List<?>) ((List<?>) entry).get(1)).get(1).toString())
                .mapToLong(words -> (words.split(" ").length - 5) / 6).sum();
    }

    private static String key(int shard, String part) {
        return partition(shard).key("sale:" + sale(shard) + ":" + part);
    }

    private static String sale(int shard) {
        return "apple-" + shard;
    }

    /** Of three shards, each lies on its own one of three masters. */
    private static Partition partition(int shard) {
        return PARTITIONS.all().get(10 + 21 * shard);
    }
}
