package dev.rush.reconciliation;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.order.LedgerPods;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A sale or rain that is over leaves Redis at once, but not while anything of it is open. */
class RetirementIT {
    private static final String ITEMS = "\"items\":[{\"sku\":\"apple\",\"total\":10}]";

    private static LedgerPods pods;

    @BeforeAll
    static void start() {
        pods = new LedgerPods("retirement", Map.of("rush.retention", "PT2S",
                "rush.confirm-by", "buyer"));
    }

    @AfterAll
    static void stop() {
        pods.close();
    }

    private static Api operator() {
        return pods.api().asOperator();
    }

    private static String path(String sale) {
        return "/v1/sales/" + sale;
    }

    private static List<?> keys(String kind, String id) {
        return (List<?>) pods.redis("KEYS", "*:" + kind + ":" + id + ":*");
    }

    private static void awaitRetired(String kind, String id) {
        Await.until(id + " is retired", LedgerPods.SOON, () -> keys(kind, id).isEmpty()
                && pods.count("SELECT count(*) FROM " + kind + "s WHERE state = 'retired' AND "
                + kind + " = ?", id) == 1);
    }

    /** A sale with a confirmed order of u0 under k0 and a returned one of u1; closed. */
    private static String settled() {
        String sale = sold();
        is(200, operator().post(path(sale) + "/close"));
        return sale;
    }

    /** A sale that is settled, but open. */
    private static String sold() {
        String sale = pods.prepare(ITEMS);
        is(201, pods.buy(sale, "u0", "k0"));
        is(201, pods.buy(sale, "u1", "k1"));
        pods.awaitStored(sale, 2);
        is(200, pods.giveBackByKey(sale, "u1", "k1"));
        return sale;
    }

    /** A sale of another partition. */
    private static String apart(String other) {
        String sale = pods.prepare(ITEMS);
        return LedgerPods.partition(sale) == LedgerPods.partition(other) ? apart(other) : sale;
    }

    @Test
    @DisplayName("I14, B1: a sale that is over and settled leaves Redis; its orders stay readable, "
            + "none of its keys is created again, and its books raise no alarm")
    void settledSaleLeavesRedis() {
        String sale = settled();
        String order = pods.api().as("u0").get(path(sale) + "/orders").body()
                .at("/orders/0/order").asText();
        awaitRetired("sale", sale);

        JsonNode view = is(200, pods.api().get(path(sale))).body();
        assertThat(view.path("state").asText()).isEqualTo("closed");
        assertThat(view.at("/items/0/left").asLong()).isEqualTo(9);
        refused(pods.buy(sale, "u2", "k2"), "closed");
        refused(pods.buy(sale, "u0", "k0"), "closed");
        assertThat(is(200, pods.api().as("u0").get(path(sale) + "/orders/" + order)).body()
                .path("status").asText()).isEqualTo("confirmed");

        assertThat(listed("sales", "sale", sale).path("state").asText()).isEqualTo("closed");

        JsonNode books = is(200, pods.books(sale)).body();
        assertThat(books.path("verdict").asText()).isEqualTo("balanced");
        assertThat(books.path("retired").asBoolean()).isTrue();
        assertThat(books.at("/items/0/confirmed").asLong()).isEqualTo(1);
        assertThat(is(200, operator().post(path(sale) + "/books/repair")).body().path("actions"))
                .isEmpty();
        is(200, operator().put(path(sale), "{" + ITEMS + "}"));
        refused(operator().put(path(sale), "{" + ITEMS.replace("10", "11") + "}"), "sale-exists");
        is(200, operator().post(path(sale) + "/close"));
        refused(operator().post(path(sale) + "/pause"), "closed");
        refused(operator().patch(path(sale) + "/items/apple", "{\"total\":99}"), "closed");

        is(200, pods.giveBack(sale, "u0", order));
        Await.until("nothing is owed any more", LedgerPods.SOON, () -> pods.count(
                "SELECT count(*) FROM order_states WHERE sale = ?"
                + " AND status IN ('expired', 'returned') AND NOT is_owed", sale) == 2);
        refused(pods.giveBack(sale, "u0", UUID.randomUUID().toString()), "unknown-order");
        refused(pods.giveBackByKey(sale, "u0", "never"), "unknown-order");
        assertThat(keys("sale", sale)).as("keys created again").isEmpty();
        assertThat(pods.first().log() + pods.second().log())
                .doesNotContain("The books of sale " + sale);
    }

    @Test
    @DisplayName("S4: a sale in shards leaves all of them, with its record of transfers")
    void saleInShardsLeavesAllOfThem() {
        String sale = pods.prepare("\"items\":[{\"sku\":\"apple\",\"total\":10,"
                + "\"limitPerUser\":0}],\"shards\":3");
        is(201, pods.buy(sale, "u0", "k0", 9));
        pods.awaitStored(sale, 1);
        assertThat(keys("sale", sale)).anyMatch(key -> key.toString().endsWith(":received"));
        is(200, operator().post(path(sale) + "/close"));
        awaitRetired("sale", sale);

        assertThat(is(200, pods.api().get(path(sale))).body().at("/items/0/left").asLong())
                .isEqualTo(1);
        assertThat(is(200, pods.api().as("u0").get(path(sale) + "/orders")).body()
                .at("/orders/0/status").asText()).isEqualTo("confirmed");
        JsonNode books = is(200, pods.books(sale)).body();
        assertThat(books.path("retired").asBoolean()).isTrue();
        assertThat(books.at("/items/0/confirmed").asLong()).isEqualTo(9);
    }

    @Test
    @DisplayName("A sale stays in Redis while it is open, an order is reserved or in the stream, "
            + "or its books do not balance")
    void openSalesStay() throws SQLException {
        String open = pods.prepare(ITEMS);
        String reserved = pods.prepare(ITEMS + ",\"paymentWindow\":\"PT1H\"");
        Answer order = is(201, pods.buy(reserved, "u0", "k0"));
        pods.awaitStored(reserved, 1);
        String unbalanced = pods.prepare(ITEMS);
        pods.redis("HINCRBY", LedgerPods.key(unbalanced, "stock"), "apple:ordered", "1");
        pods.redis("HSET", LedgerPods.key(unbalanced, "buyers"), "u9", "t k9\n");
        String over = sold();
        String waiting = apart(over);
        try (Connection held = pods.holdWriters(waiting)) {
            is(201, pods.buy(waiting, "u0", "k0"));
            List.of(reserved, unbalanced, waiting).forEach(sale ->
                    is(200, operator().post(path(sale) + "/close")));
            // A sale that closes after them is retired first.
            is(200, operator().post(path(over) + "/close"));
            awaitRetired("sale", over);
            List.of(open, reserved, unbalanced, waiting).forEach(sale ->
                    assertThat(keys("sale", sale)).as(sale).isNotEmpty());
            held.rollback();
        }

        is(200, pods.api().as("u0").post(path(reserved) + "/orders/"
                + order.body().path("order").asText() + "/confirm"));
        is(200, operator().post(path(unbalanced) + "/books/repair"));
        List.of(reserved, unbalanced, waiting).forEach(sale -> awaitRetired("sale", sale));
        assertThat(pods.stored(waiting)).isEqualTo(1);
        assertThat(keys("sale", open)).isNotEmpty();
        assertThat(pods.buy(open, "u0", "k0").status()).isEqualTo(201);
    }

    /** Dates a retired sale back, with its orders. */
    private static void backdate(String sale, int month) {
        pods.text("SELECT ensure_month(?)", month);
        for (String table : List.of("orders", "steps", "sales")) {
            pods.update("UPDATE " + table + " SET month = ? WHERE sale = ?", month, sale);
        }
    }

    @Test
    @DisplayName("A2: an operator takes a past month of retired sales out of the ledger, once")
    void pastMonthIsArchived() {
        String sale = settled();
        awaitRetired("sale", sale);
        backdate(sale, 202601);
        String path = "/v1/ledger/months/2026-01/archive";
        refused(operator().post(path), "not-retired");
        pods.update("UPDATE sales SET retired_at = retired_at - interval '1 minute'"
                + " WHERE sale = ?", sale);
        JsonNode archived = is(200, operator().post(path)).body();
        assertThat(archived.path("month").asText()).isEqualTo("2026-01");
        assertThat(archived.path("tables")).anySatisfy(table -> {
            assertThat(table.path("table").asText()).isEqualTo("archive.orders_202601");
            assertThat(table.path("rows").asLong()).isEqualTo(2);
        });
        assertThat(is(200, operator().post(path)).body()).isEqualTo(archived);
        assertThat(pods.count("SELECT count(*) FROM orders WHERE sale = ?", sale)).isZero();
        assertThat(pods.count("SELECT count(*) FROM archive.orders_202601 WHERE sale = ?", sale))
                .isEqualTo(2);
        assertThat(pods.count("SELECT count(*) FROM audit WHERE action = 'month.archived'"
                + " AND subject = ?", "2026-01")).isEqualTo(1);
        refused(operator().post("/v1/ledger/months/2026-13/archive"), "invalid-request");
        refused(operator().post("/v1/ledger/months/2099-01/archive"), "invalid-request");
    }

    @Test
    @DisplayName("A2: a user is erased from retired sales; those that are not retired are named")
    void userIsErased() {
        String retired = settled();
        awaitRetired("sale", retired);
        String open = pods.prepare(ITEMS);
        is(201, pods.buy(open, "u0", "k0"));
        pods.awaitStored(open, 1);
        JsonNode erased = is(200, operator().post("/v1/erasures", "{\"user\":\"u0\"}")).body();
        assertThat(erased.path("orders").asLong()).isPositive();
        assertThat(erased.path("open")).extracting(JsonNode::asText).contains(open);
        String named = "SELECT count(*) FROM orders WHERE sale = ? AND user_id = 'u0'";
        assertThat(pods.count(named, retired)).isZero();
        assertThat(pods.count(named, open)).isEqualTo(1);
    }

    @Test
    @DisplayName("B2: a rain that is over leaves Redis as a sale does")
    void rainThatIsOverLeavesRedis() {
        String rain = "retired-rain";
        String path = "/v1/rains/" + rain;
        String definition = "{\"envelopes\":{\"amounts\":[9,4,5]}}";
        is(201, operator().put(path, definition));
        is(201, pods.api().as("u1").post(path + "/grabs"));
        is(200, operator().post(path + "/close"));
        awaitRetired("rain", rain);

        JsonNode view = is(200, pods.api().get(path)).body();
        assertThat(view.path("state").asText()).isEqualTo("closed");
        assertThat(view.at("/left/amount").asLong()).isEqualTo(9);
        refused(pods.api().as("u2").post(path + "/grabs"), "closed");
        assertThat(listed("rains", "rain", rain).at("/left/amount").asLong()).isEqualTo(9);
        JsonNode grabs = is(200, pods.api().as("u1").get(path + "/grabs")).body().path("grabs");
        assertThat(grabs.findValuesAsText("status")).containsExactly("confirmed");
        assertThat(grabs.findValuesAsText("amount")).containsExactly("9");
        JsonNode books = is(200, operator().get(path + "/books")).body();
        assertThat(books.path("verdict").asText()).isEqualTo("balanced");
        assertThat(books.at("/granted/amount").asLong()).isEqualTo(9);
        is(200, operator().put(path, definition));
        is(200, operator().post(path + "/close"));
        assertThat(keys("rain", rain)).as("keys created again").isEmpty();
    }

    /** An entry in the pages of all sales or rains, which has it once. */
    private JsonNode listed(String kinds, String kind, String id) {
        List<JsonNode> found = new ArrayList<>();
        String path = "/v1/" + kinds + "?limit=2";
        while (!path.isEmpty()) {
            JsonNode page = is(200, operator().get(path)).body();
            page.path(kinds).forEach(entry -> found.add(entry));
            path = page.path("next").asText();
        }
        found.removeIf(entry -> !entry.path(kind).asText().equals(id));
        assertThat(found).hasSize(1);
        return found.get(0);
    }
}
