package dev.rush.http;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** X4: who may call what: every call of the OpenAPI document by every kind of caller. */
class RolesIT {
    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final Environment ENVIRONMENT = Environments.single();
    private static final String NOBODY = "nobody";
    private static final Set<String> CALLERS =
            Set.of(NOBODY, "buyer", "payer", "auditor", "operator");

    /** Which callers may make a call. */
    private enum May {
        /** No identity is required. */
        ANYBODY(CALLERS),
        /** Each for themselves. */
        USERS(Set.of("buyer", "payer", "auditor", "operator")),
        CONFIRM(Set.of("payer", "operator")),
        READ_ALL(Set.of("auditor", "operator")),
        CHANGE_ALL(Set.of("operator"));

        private final Set<String> callers;

        /** As in the OpenAPI document. */
        Set<String> roles() {
            return this == ANYBODY ? Set.of() : this == USERS ? Set.of("") : callers;
        }

        May(Set<String> callers) {
            this.callers = callers;
        }
    }

    private static final Map<String, May> CALLS = Map.ofEntries(
            Map.entry("GET /problems/{code}", May.ANYBODY),
            Map.entry("GET /v1/sales/{sale}", May.ANYBODY),
            Map.entry("GET /v1/sales/{sale}/events", May.ANYBODY),
            Map.entry("GET /v1/rains/{rain}", May.ANYBODY),
            Map.entry("GET /v1/rains/{rain}/events", May.ANYBODY),
            Map.entry("GET /v1/rains/{rain}/leaderboard", May.ANYBODY),
            Map.entry("POST /v1/sales/{sale}/purchases", May.USERS),
            Map.entry("GET /v1/sales/{sale}/orders/{order}", May.USERS),
            Map.entry("GET /v1/sales/{sale}/orders", May.USERS),
            Map.entry("POST /v1/sales/{sale}/returns", May.USERS),
            Map.entry("POST /v1/rains/{rain}/grabs", May.USERS),
            Map.entry("GET /v1/rains/{rain}/grabs", May.USERS),
            Map.entry("POST /v1/sales/{sale}/orders/{order}/confirm", May.CONFIRM),
            Map.entry("GET /v1/sales", May.READ_ALL),
            Map.entry("GET /v1/sales/{sale}/returns", May.READ_ALL),
            Map.entry("GET /v1/sales/{sale}/books", May.READ_ALL),
            Map.entry("GET /v1/sales/{sale}/holds", May.READ_ALL),
            Map.entry("GET /v1/rains", May.READ_ALL),
            Map.entry("GET /v1/rains/{rain}/books", May.READ_ALL),
            Map.entry("GET /v1/blocklist", May.READ_ALL),
            Map.entry("GET /v1/blocklist/{user}", May.READ_ALL),
            Map.entry("GET /v1/dead-letters", May.READ_ALL),
            Map.entry("GET /v1/events", May.READ_ALL),
            Map.entry("GET /v1/webhooks", May.READ_ALL),
            Map.entry("GET /v1/webhooks/{webhook}", May.READ_ALL),
            Map.entry("GET /v1/webhooks/{webhook}/deliveries", May.READ_ALL),
            Map.entry("PUT /v1/webhooks/{webhook}", May.CHANGE_ALL),
            Map.entry("DELETE /v1/webhooks/{webhook}", May.CHANGE_ALL),
            Map.entry("POST /v1/webhooks/{webhook}/deliveries/{delivery}/redeliver",
                    May.CHANGE_ALL),
            Map.entry("GET /v1/audit", May.READ_ALL),
            Map.entry("GET /v1/status", May.READ_ALL),
            Map.entry("PUT /v1/sales/{sale}", May.CHANGE_ALL),
            Map.entry("PATCH /v1/sales/{sale}", May.CHANGE_ALL),
            Map.entry("PATCH /v1/sales/{sale}/items/{sku}", May.CHANGE_ALL),
            Map.entry("POST /v1/sales/{sale}/pause", May.CHANGE_ALL),
            Map.entry("POST /v1/sales/{sale}/resume", May.CHANGE_ALL),
            Map.entry("POST /v1/sales/{sale}/close", May.CHANGE_ALL),
            Map.entry("POST /v1/sales/{sale}/books/repair", May.CHANGE_ALL),
            Map.entry("POST /v1/sales/{sale}/holds/release", May.CHANGE_ALL),
            Map.entry("POST /v1/ledger/months/{month}/archive", May.CHANGE_ALL),
            Map.entry("POST /v1/erasures", May.CHANGE_ALL),
            Map.entry("PUT /v1/rains/{rain}", May.CHANGE_ALL),
            Map.entry("POST /v1/rains/{rain}/pause", May.CHANGE_ALL),
            Map.entry("POST /v1/rains/{rain}/resume", May.CHANGE_ALL),
            Map.entry("POST /v1/rains/{rain}/close", May.CHANGE_ALL),
            Map.entry("PUT /v1/blocklist/{user}", May.CHANGE_ALL),
            Map.entry("DELETE /v1/blocklist/{user}", May.CHANGE_ALL),
            Map.entry("POST /v1/dead-letters/{id}/replay", May.CHANGE_ALL));

    private static Pod pod;

    @BeforeAll
    static void start() {
        pod = Environments.startPod("roles", ENVIRONMENT, Map.of(
                "rush.orders.sink", "postgres", "rush.rate-limit.per-second", "1",
                "rush.rate-limit.burst", "20"));
    }

    @AfterAll
    static void stop() {
        pod.close();
    }

    private static Api as(String caller) {
        return switch (caller) {
            case NOBODY -> pod.api();
            case "buyer" -> pod.api().as(fresh("buyer"));
            default -> pod.api().as(fresh(caller)).with("X-User-Roles", caller);
        };
    }

    @Test
    @DisplayName("X4: the calls with an expectation here are those of the OpenAPI document")
    void everyCallHasAnExpectation() {
        Set<String> documented = new TreeSet<>();
        pod.api().get("/q/openapi?format=json").body().path("paths").fields()
                .forEachRemaining(path -> path.getValue().fieldNames().forEachRemaining(method ->
                        documented.add(method.toUpperCase() + " " + path.getKey())));
        assertThat(new TreeSet<>(CALLS.keySet())).isEqualTo(documented);
    }

    @Test
    @DisplayName("X4: the OpenAPI document names the roles of each call, of tokens and of headers")
    void documentNamesTheRoles() {
        JsonNode paths = pod.api().get("/q/openapi?format=json").body().path("paths");
        CALLS.forEach((call, may) -> {
            String[] words = call.split(" ");
            JsonNode security = paths.path(words[1]).path(words[0].toLowerCase())
                    .path("security");
            assertThat(roles(security, "token", "token")).as(call).isEqualTo(may.roles());
            assertThat(roles(security, "userHeader", "rolesHeader")).as(call)
                    .isEqualTo(may.roles());
        });
    }

    /** The roles of the requirements of a scheme; empty for any identified caller. */
    private static Set<String> roles(JsonNode security, String scheme, String holder) {
        Set<String> roles = new TreeSet<>();
        security.forEach(way -> {
            if (way.has(scheme)) {
                roles.add(way.path(holder).path(0).asText());
            }
        });
        return roles;
    }

    @Test
    @DisplayName("X4: 401 without identity, 403 without the role, and neither with it")
    void eachCallIsForItsRolesOnly() {
        Map<String, String> wrong = new LinkedHashMap<>();
        new TreeMap<>(CALLS).forEach((call, may) -> CALLERS.forEach(caller -> {
            Answer answer = send(call, as(caller));
            int expected = may.callers.contains(caller) ? 0 : caller.equals(NOBODY) ? 401 : 403;
            boolean good = expected > 0 ? answer.status() == expected
                    : answer.status() != 401 && answer.status() != 403 && answer.status() < 500;
            if (!good) {
                wrong.put(call + " by " + caller, answer + " instead of " + expected);
            }
        }));
        assertThat(wrong).isEmpty();
    }

    /** Names things that do not exist, so that an admitted caller changes nothing. */
    private static Answer send(String call, Api api) {
        String[] words = call.split(" ");
        String path = words[1].replace("{word}", "sold-out").replace("{user}", fresh("user"))
                .replaceAll("\\{\\w+}", "nothing");
        return api.call(words[0], path, words[0].equals("GET") ? null : "{}");
    }

    @Test
    @DisplayName("A payer reads, confirms and returns anyone's order; others only their own")
    void payersActForAnyone() {
        TestSale sale = TestSale.unknown(ENVIRONMENT, pod.api());
        sale.prepare("apple:10:0", "'paymentWindow':'PT15M'");
        String buyer = fresh("buyer");
        String order = sale.path() + "/orders/" + sale.bought(buyer, "apple");

        for (String caller : new String[] {"buyer", "auditor"}) {
            refused(as(caller).get(order), "unknown-order");
            refused(as(caller).get(order + "?user=" + buyer), "unknown-order");
            refused(as(caller).post(order + "/confirm"), "forbidden");
            refused(returned(as(caller), sale, order, "?user=" + buyer), "unknown-order");
        }
        is(200, as("payer").get(order));
        is(200, as("payer").get(order + "?user=" + buyer));
        refused(as("payer").get(order + "?user=" + fresh("other")), "unknown-order");
        refused(as("payer").get(order + "?user=.."), "invalid-request");
        Await.until("a payer confirms", LIMIT,
                () -> as("payer").post(order + "/confirm?user=" + buyer).status() == 200);
        refused(as("payer").post(order + "/confirm?user=" + fresh("other")), "unknown-order");
        refused(returned(as("payer"), sale, order, "?user=" + fresh("other")), "unknown-order");
        is(200, returned(as("payer"), sale, order, ""));
        is(200, as("operator").get(order));
    }

    @Test
    @DisplayName("Operators and auditors list anyone's orders; payers and buyers their own")
    void auditorsListAnyonesOrders() {
        TestSale sale = TestSale.unknown(ENVIRONMENT, pod.api());
        sale.prepare("apple:10:0", "");
        String buyer = fresh("buyer");
        sale.bought(buyer, "apple");
        String list = sale.path() + "/orders";

        assertThat(is(200, pod.api().as(buyer).get(list)).body().path("orders")).hasSize(1);
        assertThat(is(200, as("auditor").get(list)).body().path("orders")).isEmpty();
        for (String caller : new String[] {"auditor", "operator"}) {
            assertThat(is(200, as(caller).get(list + "?user=" + buyer)).body().path("orders"))
                    .hasSize(1);
        }
        refused(as("buyer").get(list + "?user=" + buyer), "forbidden");
        refused(as("payer").get(list + "?user=" + buyer), "forbidden");
    }

    @Test
    @DisplayName("X5: operators, payers and auditors are not limited; one header may name several")
    void rolesAreNotLimited() {
        TestSale sale = TestSale.unknown(ENVIRONMENT, pod.api());
        sale.prepare("apple:1000:0", "'ordersPerUser':1000");
        for (String roles : new String[] {"payer", "auditor", "operator", "x, auditor ,payer"}) {
            Api api = pod.api().as(fresh("user")).with("X-User-Roles", roles);
            for (int i = 0; i < 50; i++) {
                is(201, api.post(sale.purchases(), TestSale.body("apple")));
            }
        }
    }

    @Test
    @DisplayName("X5: no user is called . or .., because no path could name them to block them")
    void usersThatNoPathCanNameAreNobody() {
        for (String user : new String[] {".", ".."}) {
            refused(pod.api().as(user).get("/v1/sales/nothing/orders"), "unauthenticated");
        }
        refused(as("operator").get("/v1/sales/nothing/orders?user=.."), "invalid-request");
        refused(as("operator").put("/v1/blocklist/%2E%2E%20", null), "invalid-request");
    }

    private static Answer returned(Api api, TestSale sale, String order, String query) {
        return api.post(sale.path() + "/returns" + query,
                "{\"order\":\"" + order.substring(order.lastIndexOf('/') + 1) + "\"}");
    }
}
