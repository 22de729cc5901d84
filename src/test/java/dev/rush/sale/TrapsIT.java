package dev.rush.sale;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.redis.Script;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Resp;
import dev.rush.testing.TestSale;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Regression tests for mistakes of published scripts and clients, on a Redis that may be broken.
 */
class TrapsIT {
    private static final String UNLIMITED = "99999999999999";
    private static EmbeddedRedis redis;
    private static Environment environment;

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        environment = Environments.on("traps", redis);
    }

    @AfterAll
    static void stop() {
        environment.pod().close();
        redis.close();
    }

    @Test
    @DisplayName("P4: a negative quantity does not raise the stock")
    void negativeQuantityDoesNotRaiseTheStock() {
        TestSale sale = TestSale.of(environment, "apple:10:0");
        refused(sale.buy("u", "apple:-5"), "invalid-request");
        refused(sale.buy("u", "apple:5,apple:-3"), "invalid-request");
        refused(sale.buy("u", "apple:-9223372036854775808"), "invalid-request");
        assertThat(sale.left("apple")).isEqualTo(10);
    }

    @Test
    @DisplayName("P1, P3: no counter moves before all checks have passed")
    void refusedPurchaseWritesNothing() {
        TestSale sale = TestSale.of(environment, "apple:5:2,pear:1:0",
                "'duplicateGuard':'cart','duplicateGuardWindow':'PT1H'");
        sale.bought("u", "apple:2");
        Map<String, String> before = everything(sale);

        refused(sale.buy("u", "apple:2"), "duplicate-submission");
        refused(sale.buy("u", "apple:1", "k"), "limit-reached");
        refused(sale.buy("v", "apple:1,pear:2", "k"), "insufficient-stock");
        refused(sale.buy("v", "apple:1,melon:1", "k"), "unknown-item");
        is(200, sale.control("pause"));
        refused(sale.buy("v", "apple:1", "k"), "paused");
        is(200, sale.control("resume"));

        Map<String, String> after = everything(sale);
        before.remove("conf");
        after.remove("conf");
        assertThat(after).isEqualTo(before);
    }

    @Test
    @DisplayName("P10: a missing key is answered with a word, never with an error")
    void missingKeyIsAnsweredWithAWord() {
        TestSale sale = TestSale.of(environment, "apple:5:2");
        sale.bought("u", "apple");
        sale.redis("DEL", sale.partition().key("seq"));
        sale.bought("u", "apple");
        sale.redis("DEL", sale.key("buyers"));
        refused(sale.buy("u", "apple"), "not-loaded");
        sale.redis("HDEL", sale.key("stock"), "apple:total", "apple:ordered", "apple:limit");
        refused(sale.buy("u", "apple"), "not-loaded");
        sale.redis("DEL", sale.key("conf"));
        assertThat(sale.buy("u", "apple").word()).isIn("unknown-sale", "not-loaded");
    }

    @Test
    @DisplayName("Reading scripts treat a missing value, which is false in Lua, as not found")
    void missingValueIsNotFound() {
        TestSale sale = TestSale.of(environment, "apple:5:2");
        sale.bought("u", "apple");
        Api api = sale.api().as("v");
        String orders = sale.path() + "/orders";
        refused(api.get(orders + "/" + UUID.randomUUID()), "unknown-order");
        assertThat(is(200, api.get(orders)).body().path("orders")).isEmpty();
        sale.redis("DEL", sale.key("buyers"));
        refused(api.get(orders + "/" + UUID.randomUUID()), "not-loaded");
        refused(api.get(orders), "not-loaded");
    }

    @Test
    @DisplayName("A request that fails (on a damaged record) does not affect its neighbours")
    void failedRequestDoesNotAffectItsNeighbours() {
        TestSale sale = TestSale.of(environment, "free:10:0,limited:10:1");
        sale.redis("HSET", sale.key("buyers"), "user-1", "nonsense\n");

        List<?> replies = evalPurchases(sale, "free:1", "limited:1", "free:2");

        assertThat(replies).hasSize(5);
        assertThat((String) replies.get(2)).startsWith("accepted ");
        assertThat((String) replies.get(3)).startsWith("failed ");
        assertThat((String) replies.get(4)).startsWith("accepted ");
        assertThat(sale.left("free")).isEqualTo(7);
        assertThat(sale.left("limited")).isEqualTo(10);
    }

    @Test
    @DisplayName("Half done: 500, counted, logged, and the sale is paused")
    void halfDonePausesTheSale() {
        TestSale sale = TestSale.of(environment, "limited:10:1");
        TestSale other = TestSale.of(environment, "apple:10:0");
        String user = fresh("user");
        sale.redis("HSET", sale.key("buyers"), user, "nonsense\n");
        double before = environment.pod().metric("rush_half_done_total");

        refused(sale.buy(user, "limited"), "failed");

        // The pause is a separate call, before which others could still buy, so nobody tries.
        Await.until("the sale is paused", Duration.ofSeconds(5), () ->
                "1".equals(sale.hash("conf").get("paused")));
        refused(sale.buy(fresh("user"), "limited"), "paused");
        assertThat(environment.pod().metric("rush_half_done_total")).isGreaterThan(before);
        assertThat(environment.pod().log()).contains("HALF_DONE").contains(sale.id());
        assertThat(sale.left("limited")).isEqualTo(10);
        is(201, other.buy("u", "apple"));
    }

    @Test
    @DisplayName("S1: SCRIPT FLUSH every 50 ms under load, and no client sees an error")
    void flushedScriptsAreLoadedUnnoticed() {
        TestSale sale = TestSale.of(environment, "apple:3000:0");
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Integer> flusher = CompletableFuture.supplyAsync(() -> {
            int flushes = 0;
            try (Resp resp = Resp.connect(redis.port())) {
                while (!over.get()) {
                    resp.command("SCRIPT", "FLUSH");
                    flushes++;
                    Await.sleep(50);
                }
            }
            return flushes;
        });

        List<Answer> answers =
                Api.rush(3_000, 100, i -> sale.buyAsync(fresh("user"), "apple"));
        is(200, sale.total("apple", 3_001));
        is(200, sale.view());
        over.set(true);

        assertThat(flusher.join()).isGreaterThan(3);
        assertThat(words(answers)).isEqualTo(Map.of("201", 3_000L));
        assertThat(sale.left("apple")).isEqualTo(1);
    }

    @Test
    @DisplayName("I8, I9: Redis restarts under load: 201, 503 or 504, and it heals")
    void restartUnderLoadHeals() {
        TestSale sale = TestSale.of(environment, "apple:100000:0");
        String key = fresh("key");
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> restart = CompletableFuture.runAsync(() -> {
            Await.sleep(300);
            redis.kill();
            Await.sleep(500);
            redis.restart();
            Await.until("sells again", Duration.ofSeconds(20),
                    () -> sale.buy(fresh("user"), "apple", key + ".after").status() == 201);
            over.set(true);
        });
        List<Answer> answers = new ArrayList<>();
        List<String> users = new ArrayList<>();
        while (!over.get() && users.size() < 100_000) {
            int first = users.size();
            IntStream.range(0, 400).forEach(i -> users.add(fresh("user")));
            answers.addAll(Api.rush(400, 40, i -> sale.api().as(users.get(first + i)).key(key)
                    .postAsync(sale.purchases(), TestSale.body("apple"))));
        }
        restart.join();

        Map<String, Long> words = words(answers);
        assertThat(words.keySet()).as("%s", words)
                .isSubsetOf("201", "unavailable", "outcome-unknown");
        answers.stream().filter(a -> a.status() == 504).forEach(a ->
                assertThat(a.body().path("idempotencyKey").asText()).isEqualTo(key));
        // Whatever the first answer was, the same key gives one order: the same one if it was
        // known.
        List<Answer> again = Api.rush(users.size(), 40, i -> sale.api().as(users.get(i)).key(key)
                .postAsync(sale.purchases(), TestSale.body("apple")));
        for (int i = 0; i < users.size(); i++) {
            is(201, again.get(i));
            if (answers.get(i).status() == 201) {
                assertThat(again.get(i).body()).isEqualTo(answers.get(i).body());
            }
        }
        assertThat(100_000 - sale.left("apple")).as("%s", words).isEqualTo(users.size() + 1);
        assertThat(sale.orders()).isEqualTo(users.size() + 1);
    }

    /** One script call for several purchases, as the service sends it. */
    private static List<?> evalPurchases(TestSale sale, String... lines) {
        List<String> words = new ArrayList<>(
                List.of("EVAL", Script.load("sale/purchase").text(), "5"));
        List.of("conf", "stock", "buyers").forEach(part -> words.add(sale.key(part)));
        words.addAll(List.of(sale.partition().key("orders"), sale.partition().key("seq"), "0",
                sale.id(), UNLIMITED, "", ""));
        for (int i = 0; i < lines.length; i++) {
            words.add("user-" + i);
        }
        for (String each : lines) {
            words.add(fresh("order") + "  = " + each);
        }
        try (Resp resp = sale.resp()) {
            return resp.list(words.toArray(String[]::new));
        }
    }

    /** All data of a sale in Redis, as texts. */
    private static Map<String, String> everything(TestSale sale) {
        Map<String, String> all = new TreeMap<>();
        for (String part : List.of("conf", "stock", "buyers")) {
            all.put(part, sale.hash(part).toString());
        }
        all.put("seq", String.valueOf(sale.redis("GET", sale.partition().key("seq"))));
        all.put("stream", String.valueOf(sale.redis("XLEN", sale.partition().key("orders"))));
        return all;
    }

    private static Map<String, Long> words(List<Answer> answers) {
        return answers.stream().collect(Collectors.groupingBy(answer -> answer.status() == 201
                ? "201" : answer.word().isEmpty() ? answer.toString() : answer.word(),
                TreeMap::new, Collectors.counting()));
    }
}
