package dev.rush.bench.ledger;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.rush.redis.Partition;
import dev.rush.redis.Script;
import dev.rush.testing.Resp;
import java.util.ArrayList;
import java.util.List;

/** Buys by the service's own script, without its HTTP side. */
public final class Buying {
    private static final Script PURCHASE = Script.load("sale/purchase");
    private static final List<String> PARTS = List.of("conf", "stock", "buyers");
    private static final int CALL = 128;
    private static final String BACKLOG_MAX = "2000000";
    private static final String NEVER = "9999999999999";

    private Buying() {
    }

    /** So many buyers buy one apple each. */
    public static List<Order> buy(Resp redis, Partition partition, String sale, int buyers) {
        return buy(redis, partition, sale, "buyer-", buyers);
    }

    /** So many buyers, whose names begin like this, buy one apple each. */
    public static List<Order> buy(
            Resp redis, Partition partition, String sale, String users, int buyers) {
        String sha1 = redis.text("SCRIPT", "LOAD", PURCHASE.text());
        List<Order> orders = new ArrayList<>(buyers);
        while (orders.size() < buyers) {
            int first = orders.size();
            int count = Math.min(CALL, buyers - first);
            List<String> words = new ArrayList<>(List.of("EVALSHA", sha1, "5"));
            PARTS.forEach(part -> words.add(partition.key("sale:" + sale + ":" + part)));
            words.addAll(List.of(partition.key("orders"), partition.key("seq"), BACKLOG_MAX, sale,
                    NEVER, "", "apple:1"));
            List<String> ids = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                ids.add(UuidCreator.getTimeOrderedEpochFast().toString());
                words.add(users + (first + i));
            }
            ids.forEach(id -> words.add(id + "  = apple:1"));
            List<?> replies = redis.list(words.toArray(String[]::new));
            long lastSeq = (Long) replies.get(1);
            for (int i = 0; i < count; i++) {
                String[] reply = ((String) replies.get(2 + i)).split(" ");
                if (!reply[0].equals("accepted")) {
                    throw new IllegalStateException("not accepted: " + replies.get(2 + i));
                }
                orders.add(new Order(ids.get(i), users + (first + i), reply[3],
                        Long.parseLong(reply[1]), lastSeq - count + 1 + i));
            }
        }
        return orders;
    }
}
