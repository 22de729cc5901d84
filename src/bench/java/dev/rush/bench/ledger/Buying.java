package dev.rush.bench.ledger;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.rush.redis.Partition;
import dev.rush.redis.Script;
import dev.rush.testing.Resp;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Buys with the service's script, bypassing HTTP. */
public final class Buying {
    /** The purchase script. */
    public static final Script PURCHASE = Script.load("sale/purchase");
    private static final List<String> PARTS = List.of("conf", "stock", "buyers");
    private static final int CALL_SIZE = 128;
    private static final String BACKLOG_MAX = "2000000";
    private static final String NEVER = "9999999999999";

    private Buying() {
    }

    /** Buys one apple for each of a number of buyers, and returns the orders in sequence. */
    public static List<Order> buy(Resp redis, Partition partition, String sale, int buyers) {
        return buy(redis, partition, sale, "buyer-", buyers);
    }

    /** Buys one apple for each of a number of buyers whose names have a prefix. */
    public static List<Order> buy(
            Resp redis, Partition partition, String sale, String prefix, int buyers) {
        return buy(redis, partition, sale,
                IntStream.range(0, buyers).mapToObj(i -> prefix + i).toList());
    }

    /** Buys one apple for each buyer, in calls as full as those of a busy pod. */
    public static List<Order> buy(
            Resp redis, Partition partition, String sale, List<String> buyers) {
        String sha1 = redis.text("SCRIPT", "LOAD", PURCHASE.text());
        List<Order> orders = new ArrayList<>(buyers.size());
        while (orders.size() < buyers.size()) {
            int first = orders.size();
            List<String> users = buyers.subList(first, Math.min(first + CALL_SIZE, buyers.size()));
            List<String> ids = Stream.generate(UuidCreator::getTimeOrderedEpochFast)
                    .limit(users.size()).map(UUID::toString).toList();
            List<?> replies =
                    redis.list(call(sha1, partition, sale, "apple", users, ids));
            long lastSeq = (Long) replies.get(1);
            for (int i = 0; i < users.size(); i++) {
                String[] reply = ((String) replies.get(2 + i)).split(" ");
                if (!reply[0].equals("accepted")) {
                    throw new IllegalStateException("not accepted: " + replies.get(2 + i));
                }
                orders.add(new Order(ids.get(i), users.get(i), reply[3],
                        Long.parseLong(reply[1]), lastSeq - users.size() + 1 + i));
            }
        }
        return orders;
    }

    /** Returns the call that buys one unit for each user, under these order ids. */
    public static String[] call(String sha1, Partition partition, String sale, String sku,
            List<String> users, List<String> ids) {
        List<String> words = new ArrayList<>(List.of("EVALSHA", sha1, "5"));
        PARTS.forEach(part -> words.add(partition.key("sale:" + sale + ":" + part)));
        words.addAll(List.of(partition.key("orders"), partition.key("seq"), BACKLOG_MAX, sale,
                NEVER, "", sku + ":1"));
        words.addAll(users);
        ids.forEach(id -> words.add(id + "  = " + sku + ":1"));
        return words.toArray(String[]::new);
    }
}
