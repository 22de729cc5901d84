package dev.rush.redis;

import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * A crowd that buys single units of one sale until it is closed, each purchase by a new user under
 * a new key. It records every answer and retries nothing.
 */
final class Buyers implements AutoCloseable {

    /** Of each client between purchases; at full speed, a crowd slows down all other tests. */
    private static final long PAUSE_MS = 20;

    private final String sale;
    private final Api api;
    private final String crowd;
    private final long pauseMs;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger next = new AtomicInteger();
    private final ConcurrentLinkedQueue<Purchase> purchases = new ConcurrentLinkedQueue<>();
    private volatile boolean stopped;

    /** One purchase and its answer; a broken connection is status 0. */
    record Purchase(String user, String key, int status, String word, String order, long ms) {
    }

    Buyers(Api api, String sale, int clients) {
        this(api, sale, clients, "", PAUSE_MS);
    }

    /**
     * A crowd beside others at the same sale.
     *
     * @param crowd   prefix of its users and keys
     * @param pauseMs of each client between purchases
     */
    Buyers(Api api, String sale, int clients, String crowd, long pauseMs) {
        this.api = api;
        this.sale = sale;
        this.crowd = crowd;
        this.pauseMs = pauseMs;
        for (int i = 0; i < clients; i++) {
            Thread thread = new Thread(this::run, "buyer-" + sale + "-" + i);
            threads.add(thread);
            thread.start();
        }
    }

    private void run() {
        while (!stopped) {
            int number = next.incrementAndGet();
            String user = crowd + "user-" + number;
            purchases.add(buy(user, crowd + "key-" + number));
            Await.sleep(pauseMs);
        }
    }

    /** Buys one unit, as the crowd does. */
    Purchase buy(String user, String key) {
        long start = System.nanoTime();
        try {
            Answer answer = api.as(user).key(key)
                    .post("/v1/sales/" + sale + "/purchases", "{\"items\":[{\"sku\":\"x\"}]}");
            long ms = (System.nanoTime() - start) / 1_000_000;
            return new Purchase(user, key, answer.status(), answer.word(),
                    answer.body().path("order").asText(null), ms);
        } catch (RuntimeException e) {
            return new Purchase(user, key, 0, e.toString(), null, 0);
        }
    }

    /** Answers so far by status. */
    Map<Integer, Long> statuses() {
        return purchases.stream().collect(
                Collectors.groupingBy(Purchase::status, TreeMap::new, Collectors.counting()));
    }

    long count(int status) {
        return purchases.stream().filter(purchase -> purchase.status == status).count();
    }

    List<Purchase> with(int status) {
        return purchases.stream().filter(purchase -> purchase.status == status).toList();
    }

    /** The distinct ids of all accepted orders. */
    Set<String> orders() {
        Set<String> orders = ConcurrentHashMap.newKeySet();
        with(201).forEach(purchase -> orders.add(purchase.order));
        return orders;
    }

    long slowestMs() {
        return purchases.stream().mapToLong(Purchase::ms).max().orElse(0);
    }

    @Override
    public void close() {
        stopped = true;
        for (Thread thread : threads) {
            try {
                thread.join(Patience.ofMillis(30_000));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
