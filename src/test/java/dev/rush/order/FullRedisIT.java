package dev.rush.order;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Pod;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A Redis at its {@code maxmemory}, which evicts nothing: waiting orders stop piling up before it
 * is full, and one that is full for any reason can be read, controlled and drained.
 */
class FullRedisIT {

    private static final int BUYERS = 8;
    private static final String UNLIMITED =
            "\"items\":[{\"sku\":\"apple\",\"total\":1000000,\"limitPerUser\":0}]";
    private static final String UNLIMITED_SALE = "{" + UNLIMITED + "}";
    private static LedgerPods pods;

    @BeforeAll
    static void start() {
        pods = new LedgerPods("full-redis", Map.of("rush.retention", "PT1S"));
        pods.redis("CONFIG", "SET", "maxmemory-policy", "noeviction");
    }

    @AfterAll
    static void stop() {
        pods.close();
    }

    @AfterEach
    void lift() {
        pods.redis("CONFIG", "SET", "maxmemory", "0");
        pods.redis("DEL", "ballast");
    }

    @Test
    void waitingOrdersAreBackloggedBeforeRedisIsFullAndSoldAgainOnceDrained() throws SQLException {
        String sale = pods.prepare(UNLIMITED);
        long max = 64L << 20;
        Set<String> words = ConcurrentHashMap.newKeySet();
        int accepted;
        try (Connection held = pods.holdWriters(sale)) {
            // The orders only have to fill the last megabyte below three quarters.
            pods.redis("SET", "ballast", "x".repeat((int) (max / 4 * 3 - used() - (1L << 20))));
            pods.redis("CONFIG", "SET", "maxmemory", Long.toString(max));
            accepted = buyUntil(sale, "backlogged", words);
            assertThat(used()).as("Redis is not full yet").isLessThan(max);
            refused(pods.buy(sale, "late", null), "backlogged");
            held.rollback();
        }
        assertThat(words).containsOnly("accepted", "backlogged");
        Await.until("memory is measured", LedgerPods.SOON, () ->
                pods.first().metric("rush_redis_memory_max_bytes", "master=") == max
                && pods.first().metric("rush_redis_memory_used_bytes", "master=") > max / 2.0);

        // Stored orders make room for new ones, so sales go on at the speed of the writer.
        pods.awaitStored(sale, accepted);
        Await.until("the sale sells again", LedgerPods.SOON,
                () -> pods.buy(sale, "later", null).status() == 201);
    }

    @Test
    void fullRedisIsReadControlledDrainedAndCleanedUp() throws SQLException {
        String sale = pods.prepare("");
        Answer order;
        try (Connection held = pods.holdWriters(sale)) {
            order = pods.buy(sale, "early", "key");
            is(201, order);
            fill();
            refused(pods.buy(sale, "late", null), "unavailable");
            refused(pods.api().asOperator().put("/v1/sales/too-late", UNLIMITED_SALE),
                    "outcome-unknown");
            String path = "/v1/sales/" + sale;
            String id = order.body().path("order").asText();
            is(200, pods.api().as("early").get(path + "/orders/" + id));
            is(200, pods.api().as("early").get(path + "/orders"));
            is(200, pods.api().get(path));
            Api operator = pods.api().asOperator();
            is(200, operator.get(path + "/books"));
            is(200, operator.post(path + "/pause", "{}"));
            is(200, operator.post(path + "/resume", "{}"));
            is(200, operator.post(path + "/close", "{}"));
            held.rollback();
        }
        pods.awaitStored(sale, 1);
        Await.until("the writer has drained the stream", LedgerPods.SOON,
                () -> pods.redis("XLEN", LedgerPods.stream(sale)).equals(0L));
        Await.until("the sale has left Redis", LedgerPods.SOON,
                () -> pods.redis("EXISTS", LedgerPods.key(sale, "conf")).equals(0L));
    }

    @Test
    void returnedKeyIsRefusedEvenOnAFullRedis() {
        String sale = pods.prepare("");
        fill();
        Answer parked = pods.api().as("early").post("/v1/sales/" + sale + "/returns",
                "{\"idempotencyKey\":\"key\"}");
        is(202, parked);
        assertThat((String) pods.redis("HGET", LedgerPods.key(sale, "buyers"), "early"))
                .isEqualTo("t key\n");
        lift();
        refused(pods.buy(sale, "early", "key"), "order-returned");
    }

    @Test
    void podStartsOnAFullRedis() {
        String sale = pods.prepare("");
        fill();
        try (Pod late = pods.startPod("full-redis-late", Map.of())) {
            is(200, late.api().get("/v1/sales/" + sale));
            lift();
            is(201, late.api().as("user").post("/v1/sales/" + sale + "/purchases",
                    "{\"items\":[{\"sku\":\"apple\"}]}"));
        }
    }

    /** Makes Redis exceed its maxmemory, as if foreign keys had filled it. */
    private static void fill() {
        pods.redis("CONFIG", "SET", "maxmemory", "1");
    }

    private static long used() {
        String info = (String) pods.redis("INFO", "memory");
        return info.lines().filter(line -> line.startsWith("used_memory:"))
                .mapToLong(line -> Long.parseLong(line.substring(12).strip())).sum();
    }

    /** Buys in a crowd until each buyer got the word. Returns the number of accepted orders. */
    private static int buyUntil(String sale, String word, Set<String> words) {
        AtomicInteger accepted = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        long end = System.nanoTime() + 3 * LedgerPods.SOON.toNanos();
        for (int i = 0; i < BUYERS; i++) {
            int number = i;
            threads.add(new Thread(() -> {
                for (int n = 0; System.nanoTime() < end; n++) {
                    Answer answer = pods.buy(sale, "user-" + number + "-" + n, null);
                    boolean isAccepted = answer.status() == 201;
                    words.add(isAccepted ? "accepted" : answer.word());
                    if (isAccepted) {
                        accepted.incrementAndGet();
                    } else if (answer.word().equals(word)) {
                        return;
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        threads.forEach(thread -> {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        return accepted.get();
    }
}
