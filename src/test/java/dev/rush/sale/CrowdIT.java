package dev.rush.sale;

import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Environment;
import dev.rush.testing.Setting;
import dev.rush.testing.TestSale;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Crowds of concurrent buyers: P2, P3, P6, P7, I3, I4, I7. */
@ParameterizedClass
@EnumSource(Setting.class)
class CrowdIT {
    private static final int CONCURRENCY = 200;
    private final long seed = Long.getLong("rush.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @Parameter
    Setting setting;

    private Environment environment() {
        return setting.environment();
    }

    @Test
    @DisplayName("P2: 10,000 attempts for 500 units (3,000 in shards and clusters) sell 500, and"
            + " all others are sold out")
    void exactlyTheSupplyIsSold() {
        TestSale sale = TestSale.of(environment(), "apple:500:1");
        String user = fresh("user");
        int attempts = setting == Setting.SINGLE ? 10_000 : 3_000;

        List<Answer> answers =
                Api.rush(attempts, CONCURRENCY, i -> sale.buyAsync(user + "." + i, "apple"));

        assertThat(words(answers))
                .isEqualTo(Map.of("accepted", 500L, "sold-out", attempts - 500L));
        assertThat(orders(answers)).hasSize(500);
        assertThat(lefts(answers)).allMatch(left -> left >= 0 && left < 500);
        if (environment().shards() == 1) {
            assertThat(lefts(answers)).as("each unit was sold once").hasSize(500);
        }
        assertBooks(sale, "apple", 500, 500);
        assertThat(sale.hash("buyers")).hasSize(500).allSatisfy(
                (buyer, record) -> assertThat(record.lines()).hasSize(1));
    }

    @Test
    @DisplayName("P3, I4: of many attempts of a few users with limit 3, each user gets exactly 3")
    void eachUserGetsExactlyTheLimit() {
        TestSale sale = TestSale.of(environment(), "apple:1000:3");
        String user = fresh("user");
        int users = 100;

        List<Answer> answers =
                Api.rush(2_000, CONCURRENCY, i -> sale.buyAsync(user + "." + i % users, "apple"));

        assertThat(words(answers)).isEqualTo(Map.of("accepted", 300L, "limit-reached", 1_700L));
        assertBooks(sale, "apple", 1_000, 300);
        assertThat(sale.hash("buyers").keySet()).hasSize(users)
                .allMatch(buyer -> sale.taken(buyer, "apple") == 3);
    }

    @Test
    @DisplayName("P2, P5: mixed quantities sell every unit")
    void mixedQuantitiesSellEverything() {
        TestSale sale = TestSale.of(environment(), "apple:500:0");
        int[] quantities = random.ints(2_000, 1, 6).toArray();

        List<Answer> answers = Api.rush(quantities.length, CONCURRENCY,
                i -> sale.buyAsync(fresh("user"), "apple:" + quantities[i]));

        long sold = 0;
        for (int i = 0; i < quantities.length; i++) {
            sold += answers.get(i).status() == 201 ? quantities[i] : 0;
        }
        assertThat(words(answers).keySet()).as("seed %d", seed)
                .isSubsetOf("accepted", "sold-out", "insufficient-stock");
        assertThat(sold).as("units sold, seed %d", seed).isEqualTo(500);
        assertBooks(sale, "apple", 500, 500);
    }

    @Test
    @DisplayName("P6, I3: carts over three items are granted whole, and every item adds up")
    void cartsAddUp() {
        TestSale sale = TestSale.of(environment(), "apple:300:0,pear:300:2,plum:400:0");
        List<String> carts = List.of("apple:1,pear:1", "pear:2,plum:1", "plum:3,apple:2",
                "apple:1,pear:1,plum:1", "plum:1,plum:1", "pear:1");
        int[] choice = random.ints(1_500, 0, carts.size()).toArray();

        List<Answer> answers = Api.rush(choice.length, CONCURRENCY,
                i -> sale.buyAsync(fresh("user"), carts.get(choice[i])));

        Map<String, Long> sold = new TreeMap<>(Map.of("apple", 0L, "pear", 0L, "plum", 0L));
        answers.stream().filter(answer -> answer.status() == 201).forEach(answer -> {
            for (JsonNode item : answer.body().path("items")) {
                sold.merge(item.path("sku").asText(), item.path("quantity").asLong(), Long::sum);
            }
        });
        Map<String, String> stock = sale.hash("stock");
        sold.forEach((sku, units) -> assertThat(stock.get(sku + ":ordered"))
                .as("%s ordered, seed %d", sku, seed).isEqualTo(Long.toString(units)));
        assertThat(sold.get("apple")).isLessThanOrEqualTo(300);
        assertThat(sold.get("pear")).isLessThanOrEqualTo(300);
        assertThat(sold.get("plum")).isLessThanOrEqualTo(400);
        assertThat(sale.orders()).isEqualTo(orders(answers).size());
    }

    @Test
    @DisplayName("I7: a storm of replays on one key gives one order and one answer")
    void stormOfReplaysGivesOneOrder() {
        TestSale sale = TestSale.of(environment(), "apple:100:1");
        // All requests are of one user, so the rate limit would interfere.
        Api buyer = sale.api().as(fresh("user")).with("X-User-Roles", "operator").key("k");
        String body = TestSale.body("apple");

        List<Answer> answers =
                Api.rush(500, CONCURRENCY, i -> buyer.postAsync(sale.purchases(), body));

        assertThat(words(answers)).isEqualTo(Map.of("accepted", 1L, "replayed", 499L));
        assertThat(answers.stream().map(answer -> answer.body().toString()).distinct()).hasSize(1);
        assertBooks(sale, "apple", 100, 1);
    }

    @Test
    @DisplayName("P2, P11: while the total is raised and lowered, nothing is oversold")
    void nothingIsOversoldWhileTheTotalChanges() {
        TestSale sale = TestSale.of(environment(), "apple:100:0");
        int[] totals = random.ints(40, 0, 400).toArray();

        List<Answer> answers = Api.rush(2_000, CONCURRENCY, i -> i % 50 == 49
                ? sale.api().asOperator().callAsync("PATCH", sale.path() + "/items/apple",
                        "{\"total\":" + totals[i / 50] + "}")
                : sale.buyAsync(fresh("user"), "apple"));

        long total = Long.parseLong(sale.hash("stock").get("apple:total"));
        long sold = orders(answers).size();
        assertThat(sold).as("sold of %d, seed %d", total, seed).isLessThanOrEqualTo(total);
        assertBooks(sale, "apple", total, sold);
        answers.stream().filter(answer -> answer.status() >= 400).forEach(answer ->
                assertThat(answer.word()).isIn("sold-out", "below-ordered"));
        refused(sale.total("apple", sold - 1), "below-ordered");
    }

    private static void assertBooks(TestSale sale, String sku, long total, long ordered) {
        Map<String, String> stock = sale.hash("stock");
        assertThat(stock).containsEntry(sku + ":total", Long.toString(total))
                .containsEntry(sku + ":ordered", Long.toString(ordered));
    }

    private static Map<String, Long> words(List<Answer> answers) {
        return answers.stream().collect(Collectors.groupingBy(CrowdIT::word, TreeMap::new,
                Collectors.counting()));
    }

    private static String word(Answer answer) {
        if (answer.status() != 201) {
            return answer.word().isEmpty() ? answer.toString() : answer.word();
        }
        return answer.header("Idempotency-Replayed") == null ? "accepted" : "replayed";
    }

    private static Set<String> orders(List<Answer> answers) {
        return answers.stream().filter(answer -> answer.status() == 201)
                .map(answer -> answer.body().path("order").asText()).collect(Collectors.toSet());
    }

    private static Set<Long> lefts(List<Answer> answers) {
        Set<Long> lefts = new HashSet<>();
        answers.stream().filter(answer -> answer.status() == 201).forEach(answer ->
                lefts.add(answer.body().path("items").get(0).path("left").asLong()));
        return lefts;
    }
}
