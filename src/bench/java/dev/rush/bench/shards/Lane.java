package dev.rush.bench.shards;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.rush.redis.Partition;
import dev.rush.redis.Script;
import dev.rush.testing.Resp;
import java.util.ArrayList;
import java.util.List;

/** The purchases of one shard, sent as the service sends those of a crowd. */
final class Lane {
    private static final Script PURCHASE = Script.load("sale/purchase");
    private static final List<String> PARTS =
            List.of("conf", "stock", "buyers");
    private static final int CALL = 128;
    private static final String BACKLOG_MAX = "2000000";
    private static final String NEVER = "9999999999999";

    private final Resp redis;
    private final Partition shard;
    private final String sale;
    private final String sha1;
    private final List<String> users = new ArrayList<>();
    private long sold;

    Lane(Resp redis, Partition shard, String sale) {
        this.redis = redis;
        this.shard = shard;
        this.sale = sale;
        this.sha1 = redis.text("SCRIPT", "LOAD", PURCHASE.text());
    }

    Partition shard() {
        return shard;
    }

    long sold() {
        return sold;
    }

    /** Takes in one more buyer. */
    void add(String user) {
        users.add(user);
    }

    /** Sells one unit to each of them. */
    void sell() {
        for (int first = 0; first < users.size(); first += CALL) {
            send(users.subList(first, Math.min(first + CALL, users.size())));
        }
        redis.close();
    }

    private void send(List<String> buyers) {
        List<String> words = new ArrayList<>(List.of("EVALSHA", sha1, "5"));
        PARTS.forEach(part -> words.add(shard.key("sale:" + sale + ":" + part)));
        words.addAll(List.of(shard.key("orders"), shard.key("seq"), BACKLOG_MAX, sale, NEVER,
                "", "unit:1"));
        words.addAll(buyers);
        buyers.forEach(buyer -> words.add(
                UuidCreator.getTimeOrderedEpochFast() + "  = unit:1"));
        List<?> replies = redis.list(words.toArray(String[]::new));
        for (Object reply : replies.subList(2, replies.size())) {
            if (!((String) reply).startsWith("accepted ")) {
                throw new IllegalStateException("not accepted: " + reply);
            }
            sold++;
        }
    }
}
