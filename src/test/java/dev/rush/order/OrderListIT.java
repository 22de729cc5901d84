package dev.rush.order;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Pod;
import dev.rush.testing.RawHttp;
import dev.rush.testing.TestSale;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Operators' lists of orders, as pages and as CSV. */
class OrderListIT {
    private static LedgerScene scene;
    private static Pod pod;

    @BeforeAll
    static void start() {
        scene = new LedgerScene("order-list");
        pod = scene.pod("order-list", "rush.lists.exports", "1");
        scene.awaitLedger(pod);
    }

    @AfterAll
    static void stop() {
        pod.close();
        scene.close();
    }

    private static Api as(String role) {
        return pod.api().as("some-" + role).with("X-User-Roles", role);
    }

    private static TestSale sale(String more) {
        TestSale sale = TestSale.unknown(scene.environment(), pod.api());
        sale.prepare("apple:100:0", more);
        return sale;
    }

    private static List<String> ids(JsonNode page) {
        List<String> ids = new ArrayList<>();
        page.path("orders").forEach(order -> ids.add(order.path("order").asText()));
        return ids;
    }

    /** All pages of a list. */
    private static List<String> walk(Api api, String path) {
        List<String> all = new ArrayList<>();
        String after = "";
        while (after != null) {
            JsonNode page = is(200, api.get(path + after)).body();
            all.addAll(ids(page));
            after = page.has("next") ? "&after=" + page.path("next").asText() : null;
        }
        return all;
    }

    @Test
    @DisplayName("X4: operators and auditors list everybody's orders, newest first, by page, user, "
            + "status and time")
    void listsEverybodysOrders() {
        TestSale sale = sale("'paymentWindow':'PT1H'");
        List<String> placed = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            placed.add(0, sale.bought("user-" + i % 3, "apple"));
        }
        scene.awaitOrders(sale.id(), "reserved", 7);
        String list = sale.path() + "/orders?";
        is(200, as("operator").post(sale.path() + "/orders/" + placed.get(0) + "/confirm"));

        for (String role : new String[] {"operator", "auditor"}) {
            assertThat(walk(as(role), list + "limit=1000")).isEqualTo(placed);
            assertThat(walk(as(role), list + "limit=2")).isEqualTo(placed);
            assertThat(is(200, as(role).get(list + "limit=3")).body().path("orders")).hasSize(3);
            assertThat(ids(is(200, as(role).get(sale.path() + "/orders")).body()))
                    .as("without a parameter: the caller's own").isEmpty();
        }
        Api operator = as("operator");
        assertThat(walk(operator, list + "status=confirmed")).containsExactly(placed.get(0));
        assertThat(walk(operator, list + "status=reserved&limit=2"))
                .isEqualTo(placed.subList(1, 7));
        assertThat(walk(operator, list + "status=accepted")).isEmpty();
        assertThat(walk(operator, list + "user=user-0")).containsExactly(placed.get(0),
                placed.get(3), placed.get(6));
        assertThat(walk(operator, list + "user=user-0&limit=1")).containsExactly(placed.get(0),
                placed.get(3), placed.get(6));
        assertThat(walk(operator, list + "user=user-0&status=reserved")).containsExactly(
                placed.get(3), placed.get(6));
        String third = is(200, operator.get(sale.path() + "/orders/" + placed.get(2))).body()
                .path("placedAt").asText();
        assertThat(walk(operator, list + "since=" + third)).containsAll(placed.subList(0, 3))
                .doesNotContain(placed.get(6));
        assertThat(walk(operator, list + "since=2100-01-01T00:00:00Z")).isEmpty();
        assertThat(walk(operator, sale("").path() + "/orders?limit=5")).isEmpty();
    }

    @Test
    @DisplayName("X4: buyers and payers list no others' orders; an unknown parameter is refused")
    void listsAreForOperators() {
        TestSale sale = sale("");
        sale.bought("711", "apple");
        String list = sale.path() + "/orders?";
        for (Api api : List.of(pod.api().as("711"), as("payer"))) {
            for (String query : new String[] {"limit=5", "status=confirmed",
                "since=2026-01-01T00:00:00Z", "user=712"}) {
                refused(api.get(list + query), "forbidden");
            }
            refused(api.with("Accept", "text/csv").get(sale.path() + "/orders"), "forbidden");
        }
        is(200, pod.api().as("711").get(list + "user=711"));
        for (String query : new String[] {"limt=5", "limit=0", "limit=1001", "limit=1&limit=2",
            "status=lost", "since=yesterday", "after=x", "user=a%20b", "key=k&limit=5",
            "history=true"}) {
            refused(as("operator").get(list + query), "invalid-request");
        }
        refused(as("operator").get(TestSale.unknown(scene.environment(), pod.api()).path()
                + "/orders?limit=5"), "unknown-sale");
    }

    @Test
    @DisplayName("X5: a list as CSV has all orders, and no name is a formula")
    void csvHasAllOrders() {
        TestSale sale = sale("");
        List<String> placed = new ArrayList<>();
        for (String user : List.of("=1+1", "a,b", "711")) {
            placed.add(0, sale.bought(user, "apple:2"));
        }
        scene.awaitOrders(sale.id(), "confirmed", 3);
        Api csv = as("auditor").with("Accept", "text/csv");
        Answer answer = csv.get(sale.path() + "/orders");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("Content-Type")).startsWith("text/csv");
        assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
        assertThat(answer.header("Content-Disposition")).contains(sale.id());
        List<String> lines = List.of(answer.body().asText().split("\r\n"));
        assertThat(lines.get(0)).startsWith("order,sale,user,");
        assertThat(lines.subList(1, 4)).satisfiesExactly(
                line -> assertThat(line).startsWith(placed.get(0) + "," + sale.id()
                        + ",711,confirmed,apple:2,20"),
                line -> assertThat(line).contains(",\"a,b\",confirmed,"),
                line -> assertThat(line).contains(",'=1+1,confirmed,"));
        assertThat(csv.get(sale.path() + "/orders?user=711").body().asText().lines()).hasSize(2);
        assertThat(csv.get(sale.path() + "/orders?status=returned").body().asText().lines())
                .hasSize(1);
        refused(csv.get(TestSale.unknown(scene.environment(), pod.api()).path() + "/orders"),
                "unknown-sale");
        assertThat(is(200, as("auditor").with("Accept", "*/*").get(sale.path() + "/orders"))
                .body().has("orders")).isTrue();
    }

    @Test
    @DisplayName("X5: long lists are streamed, one at a time; a client that leaves frees its place")
    void longListsAreBounded() throws IOException {
        TestSale sale = sale("");
        sale.bought("711", "apple");
        scene.awaitOrders(sale.id(), "confirmed", 1);
        scene.sql("INSERT INTO orders (id, month, block, seq, placed_at_ms, pay_by_ms, partition,"
                + " sale, user_id, digest, lines, lefts) SELECT (left(id::text, 24) ||"
                + " lpad(to_hex(i), 12, '0'))::uuid, month, block, seq, placed_at_ms, 0,"
                + " partition, sale, repeat('u', 100) || i, '=', 'apple:1', '1' FROM orders,"
                + " generate_series(1, 50000) AS i WHERE sale = '" + sale.id() + "'");
        String path = sale.path() + "/orders";
        Api csv = as("operator").with("Accept", "text/csv");
        assertThat(csv.get(path).body().asText().lines()).hasSize(50_002).doesNotHaveDuplicates();
        awaitFreePlace();

        try (Socket slow = new Socket("127.0.0.1", pod.baseUri().getPort())) {
            slow.setReceiveBufferSize(4096);
            slow.getOutputStream().write(("GET " + path + " HTTP/1.1\r\nHost: rush.example\r\n"
                    + "X-User-Id: o\r\nX-User-Roles: operator\r\nAccept: text/csv\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            assertThat(slow.getInputStream().read()).isEqualTo('H');
            refused(csv.get(path), "unavailable");
        }
        awaitFreePlace();
        assertThat(csv.get(path).status()).isEqualTo(200);
        awaitFreePlace();
        assertThat(RawHttp.send(pod.baseUri(), "HEAD " + path + " HTTP/1.1\r\nHost: x\r\n"
                + "X-User-Id: o\r\nX-User-Roles: operator\r\nAccept: text/csv\r\n"
                + "Connection: close\r\n\r\n").status()).isEqualTo(200);
    }

    private static void awaitFreePlace() {
        Await.until("the place is free", LedgerScene.SOON,
                () -> pod.metric("rush_order_exports") == 0);
    }
}
