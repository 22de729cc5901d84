package dev.rush.reconciliation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.order.LedgerPods;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Books of a sale (B1, B3, I16): always exact, and every planted discrepancy is found. */
class BooksIT {

    private static LedgerPods pods;

    @BeforeAll
    static void start() {
        pods = new LedgerPods("books", Map.of());
    }

    @AfterAll
    static void stop() {
        pods.close();
    }

    private static JsonNode item(String sale) {
        return pods.books(sale).body().at("/items/0");
    }

    private static String verdict(String sale) {
        return pods.books(sale).body().path("verdict").asText();
    }

    private static Answer repair(String sale) {
        return pods.api().asOperator().post("/v1/sales/" + sale + "/books/repair");
    }

    private static String stored(int orders) {
        String sale = pods.prepare("");
        for (int i = 0; i < orders; i++) {
            assertThat(pods.buy(sale, "u" + i, "k" + i).status()).isEqualTo(201);
        }
        pods.awaitStored(sale, orders);
        return sale;
    }

    private static void awaitAlarm(String what, String metric) {
        Await.until("the alarm for " + what, LedgerPods.SOON, () -> pods.metric(metric) > 0,
                () -> pods.first().log());
    }

    /** Repairs a sale; a second repair must find nothing to do. Returns the counts by action. */
    private static Map<String, Long> mend(String sale) {
        Answer repaired = repair(sale);
        assertThat(repaired.status()).as("%s", repaired).isEqualTo(200);
        Map<String, Long> actions = new LinkedHashMap<>();
        repaired.body().path("actions").forEach(action ->
                actions.put(action.path("action").asText(), action.path("count").asLong()));
        assertThat(verdict(sale)).as("%s", repaired).isEqualTo("balanced");
        assertThat(repair(sale).body().path("actions")).isEmpty();
        Await.until("the alarm ends", LedgerPods.SOON, () ->
                pods.metric("rush_books_drift") + pods.metric("rush_books_oversold") == 0);
        return actions;
    }

    @Test
    void booksHaveTheFieldsOfTheContract() {
        String sale = stored(3);
        Answer books = pods.books(sale);
        assertThat(books.status()).isEqualTo(200);
        assertThat(books.body().path("sale").asText()).isEqualTo(sale);
        assertThat(books.body().path("asOf").asText()).startsWith("20").endsWith("Z");
        assertThat(books.body().path("verdict").asText()).isEqualTo("balanced");
        assertThat(books.body().path("lost").asLong(-1)).isZero();
        Map<String, Long> numbers = new LinkedHashMap<>();
        item(sale).fields().forEachRemaining(field -> {
            if (field.getValue().isNumber()) {
                numbers.put(field.getKey(), field.getValue().asLong());
            }
        });
        assertThat(numbers).containsAllEntriesOf(Map.of("total", 100L, "left", 97L, "ordered", 3L,
                "reserved", 0L, "confirmed", 3L, "rejected", 0L, "creditPending", 0L,
                "inStream", 0L, "deadLetters", 0L)).containsAllEntriesOf(
                        Map.of("inTransfer", 0L, "drift", 0L));
        assertThat(item(sale).path("verdict").asText()).isEqualTo("balanced");
        assertThat(pods.books("no-such-sale").word()).isEqualTo("unknown-sale");
        assertThat(pods.api().as("u1").get("/v1/sales/" + sale + "/books").word())
                .isEqualTo("forbidden");
    }

    @Test
    void rushWithReturnsIsAlwaysBalancedAndRaisesNoAlarm() throws InterruptedException {
        String sale = pods.prepare("\"items\":[{\"sku\":\"apple\",\"total\":1250,"
                + "\"limitPerUser\":2}],\"paymentWindow\":\"PT1H\"");
        List<Answer> seen = Collections.synchronizedList(new ArrayList<>());
        AtomicBoolean running = new AtomicBoolean(true);
        Thread watcher = new Thread(() -> {
            while (running.get()) {
                seen.add(pods.books(sale));
                Await.sleep(20);
            }
        });
        watcher.start();
        List<Answer> bought = Api.rush(2000, 64, i -> buyAndSometimesReturn(sale, i));
        long accepted = bought.stream().filter(answer -> answer.status() == 201).count();
        Await.until("all is stored and returned", LedgerPods.SOON,
                () -> item(sale).path("inStream").asLong() == 0
                        && item(sale).path("creditPending").asLong() == 0
                        && pods.count("SELECT count(*) FROM returns WHERE sale = ? "
                                + "AND state = 'parked'", sale) == 0);
        running.set(false);
        watcher.join();
        assertThat(accepted).isGreaterThan(700);
        assertThat(pods.stored(sale)).isEqualTo(accepted);
        assertThat(seen).hasSizeGreaterThan(10).allSatisfy(books ->
                assertThat(books.body().path("verdict").asText()).as("%s", books)
                        .isEqualTo("balanced"));
        assertThat(seen).as("orders in flight were counted")
                .anyMatch(books -> books.body().at("/items/0/inStream").asLong() > 0);
        JsonNode item = item(sale);
        assertThat(item.path("ordered").asLong()).isEqualTo(
                item.path("reserved").asLong()).isPositive();
        assertThat(pods.metric("rush_books_drift") + pods.metric("rush_books_oversold")
                + pods.metric("rush_books_lost_total")).isZero();
        assertThat(pods.first().log() + pods.second().log())
                .doesNotContain("The books of sale " + sale + " do not balance");
    }

    private static CompletableFuture<Answer> buyAndSometimesReturn(String sale, int i) {
        Api[] apis = {pods.first().api(), pods.second().api()};
        String path = "/v1/sales/" + sale;
        return apis[i % 2].as("u" + i).key("k").postAsync(path + "/purchases",
                "{\"items\":[{\"sku\":\"apple\",\"quantity\":" + (1 + i % 2) + "}]}")
                .thenCompose(answer -> answer.status() != 201 || i % 4 != 0
                        ? CompletableFuture.completedFuture(answer)
                        : apis[(i / 4) % 2].as("u" + i).postAsync(path + "/returns",
                                "{\"order\":\"" + answer.body().path("order").asText() + "\"}")
                                .thenApply(returned -> answer));
    }

    @Test
    void plantedDiscrepanciesAreFoundAlarmedAndRepaired() throws SQLException {
        String tooMany = stored(5);
        pods.redis("HINCRBY", LedgerPods.key(tooMany, "stock"), "apple:ordered", "1");
        assertThat(verdict(tooMany)).isEqualTo("undersold");
        assertThat(item(tooMany).path("drift").asLong()).isEqualTo(1);
        awaitAlarm("one order too many", "rush_books_drift");
        assertThat(mend(tooMany)).isEqualTo(Map.of("units-returned", 1L));
        assertThat(pods.stock(tooMany, "apple:ordered")).isEqualTo(5);

        String tooFew = stored(5);
        pods.redis("HINCRBY", LedgerPods.key(tooFew, "stock"), "apple:ordered", "-1");
        assertThat(verdict(tooFew)).isEqualTo("oversold");
        assertThat(item(tooFew).path("drift").asLong()).isEqualTo(-1);
        awaitAlarm("one unit too few", "rush_books_oversold");
        assertThat(mend(tooFew)).isEqualTo(Map.of("units-deducted", 1L));
        assertThat(pods.stock(tooFew, "apple:ordered")).isEqualTo(5);

        lostEntry();
        doubledEntry();
    }

    private static void lostEntry() throws SQLException {
        String sale = stored(1);
        String order;
        try (Connection writersHeld = pods.holdWriters(sale)) {
            order = pods.buy(sale, "u1", "k1").body().path("order").asText();
            assertThat(item(sale).path("inStream").asLong()).isEqualTo(1);
            assertThat(verdict(sale)).isEqualTo("balanced");
        }
        pods.awaitStored(sale, 2);
        // As if its entry had been lost before it reached the ledger.
        awaitDrained(sale);
        pods.update("DELETE FROM orders WHERE id = ?::uuid", order);
        pods.update("UPDATE sums SET stored = stored - 1, confirmed = confirmed - 1"
                + " WHERE sale = ?", sale);
        pods.update("UPDATE items SET sold = 1 WHERE sale = ?", sale);

        assertThat(verdict(sale)).isEqualTo("undersold");
        awaitAlarm("a lost entry", "rush_books_drift");
        assertThat(mend(sale)).isEqualTo(Map.of("orders-requeued", 1L));
        pods.awaitStored(sale, 2);
        assertThat(pods.stock(sale, "apple:ordered")).isEqualTo(2);
    }

    private static void doubledEntry() {
        String sale = stored(2);
        String id = "01234567-89ab-7def-8123-456789abcdef";
        String[] entry = {"XADD", LedgerPods.stream(sale), "*", "purchase", String.join(" ",
                sale, LedgerPods.NOW, "0", "1", "1", "u9", id, "k9", "=", "apple:1", "97")};
        pods.redis(entry);
        pods.redis(entry);
        pods.awaitStored(sale, 3);
        awaitDrained(sale);
        assertThat(verdict(sale)).as("an order that Redis never deducted").isEqualTo("oversold");
        assertThat(item(sale).path("drift").asLong()).as("counted once").isEqualTo(-1);
        awaitAlarm("a doubled entry", "rush_books_oversold");
        assertThat(mend(sale)).isEqualTo(Map.of("orders-restored", 1L));
        assertThat(pods.stock(sale, "apple:ordered")).isEqualTo(3);
    }

    private static void awaitDrained(String sale) {
        Await.until("the stream is drained", LedgerPods.SOON,
                () -> (Long) pods.redis("XLEN", LedgerPods.stream(sale)) == 0);
    }

    @Test
    void twoRepairsOnOnePodCorrectAnItemOnce() {
        String sale = pods.prepare("");
        for (int i = 0; i < 6; i++) {
            assertThat(pods.buy(sale, "u" + i, "k" + i).status()).isEqualTo(201);
        }
        pods.awaitStored(sale, 6);
        pods.redis("HINCRBY", LedgerPods.key(sale, "stock"), "apple:ordered", "3");
        List<CompletableFuture<Answer>> repairs = Stream.generate(() ->
                CompletableFuture.supplyAsync(() -> pods.api().asOperator()
                        .post("/v1/sales/" + sale + "/books/repair"))).limit(4).toList();
        List<Integer> statuses = repairs.stream().map(repair -> repair.join().status()).toList();
        assertThat(statuses).contains(200);
        assertThat(pods.stock(sale, "apple:ordered")).as("%s", statuses).isEqualTo(6);
    }

    @Test
    void entryThatIsDeliveredTwiceCountsOnce() {
        String sale = stored(1);
        String[] kept = ((String) pods.redis("HGET", LedgerPods.key(sale, "buyers"), "u0"))
                .strip().split(" ");
        pods.redis("XADD", LedgerPods.stream(sale), "*", "purchase", String.join(" ", sale,
                kept[6], kept[7], "1", "1", "u0", kept[1], kept[2], kept[3], kept[4], kept[5]));
        awaitDrained(sale);
        assertThat(pods.stored(sale)).isEqualTo(1);
        assertThat(verdict(sale)).isEqualTo("balanced");
    }
}
