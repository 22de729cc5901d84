package dev.rush.status;

import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rush.dev.EmbeddedRedis;
import dev.rush.testing.Answers;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import dev.rush.testing.TestRain;
import dev.rush.testing.TestSale;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The status of all pods, as any of them answers it. */
class PodStatusIT {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final String KEY = "rush:{status}:pods";
    private static final int PODS = 200;
    private static final int CONSOLES = 50;
    private static EmbeddedRedis redis;
    private static Environment servers;
    private static Pod pod;

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        servers = Environments.on("status", redis);
        pod = Environments.startPod("status", servers, Map.of());
    }

    @AfterAll
    static void stop() {
        pod.close();
        redis.close();
    }

    private static JsonNode status(String query) {
        return Answers.is(200, pod.api().asOperator().get("/v1/status" + query)).body();
    }

    private static void awaitPods(int number) {
        Await.until(number + " pods", LIMIT, () -> status("").path("pods").size() == number);
    }

    @Test
    @DisplayName("W1: pods report themselves and their masters, until they end or fall silent;"
            + " reports of dead pods are removed even if nobody calls")
    void podsReportThemselves() {
        awaitPods(1);
        Await.until("the master is known", LIMIT, () ->
                status("").at("/pods/0/masters/0").has("memoryUsed"));
        JsonNode reported = status("").at("/pods/0");
        assertThat(reported.path("role").asText()).isEqualTo("all");
        assertThat(reported.path("reachesRedis").asBoolean()).isTrue();
        assertThat(reported.has("purchases")).isFalse();
        try (Resp node = servers.resp(KEY)) {
            node.command("HSET", KEY, "dead", "{}");
        }
        try (Pod second = Environments.startPod("status-api", servers,
                Map.of("rush.role", "api"))) {
            awaitForgottenWithoutACall(second);
            awaitPods(2);
            assertThat(status("").path("pods").findValuesAsText("role"))
                    .containsExactlyInAnyOrder("all", "api");
        }
        awaitPods(1);
        try (Resp node = servers.resp(KEY)) {
            node.command("HSET", KEY, "dead", reported.toString().replaceFirst(
                    "\"asOf\":\"[^\"]*\"", "\"asOf\":\"2026-01-01T00:00:00Z\""));
            node.command("HSET", KEY, "strange", "no status");
            Await.until("both are forgotten", LIMIT, () -> status("").path("pods").size() == 1
                    && node.command("HLEN", KEY).toString().equals("1"));
        }
    }

    /** A pod that starts removes the reports of dead pods, even if nobody asks for the status. */
    private static void awaitForgottenWithoutACall(Pod started) {
        try (Resp node = servers.resp(KEY)) {
            Await.until("the dead one is forgotten", LIMIT, () ->
                    node.command("HEXISTS", KEY, "dead").toString().equals("0"));
        }
        assertThat(started.alive()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "null", "[]", "{'asOf':'yesterday'}",
        "{'pod':null,'role':'all','startedAt':'NOW','asOf':'NOW'}",
        "{'pod':'x','role':null,'startedAt':'NOW','asOf':'NOW'}",
        "{'pod':'x','role':'all','startedAt':7,'asOf':'NOW'}",
        "{'pod':'x','role':'all','startedAt':'NOW','asOf':'NOW','masters':[null]}",
        "{'pod':'x','role':'all','startedAt':'NOW','asOf':'NOW','alarms':[{}]}",
        "{'pod':'x','role':'all','startedAt':'NOW','asOf':'NOW','sales':{'a':'b'}}"})
    @DisplayName("Invalid reports are left out and do not break the status")
    void invalidReportsAreLeftOut(String text) {
        awaitPods(1);
        try (Resp node = servers.resp(KEY)) {
            node.command("HSET", KEY, "strange",
                    Answers.json(text.replace("NOW", Instant.now().toString())));
            awaitPods(1);
            Await.until("it is forgotten", LIMIT, () -> status("").has("pods")
                    && node.command("HEXISTS", KEY, "strange").toString().equals("0"));
        }
    }

    @Test
    @DisplayName("A crowd of consoles shares one read of the reports of 200 pods")
    void aCrowdSharesOneRead() {
        awaitPods(1);
        ObjectNode reported = (ObjectNode) status("?sale=a&rain=b").at("/pods/0");
        ObjectNode sales = reported.putObject("sales");
        for (int i = 0; i < 20; i++) {
            sales.putObject("sale-" + i).put("accepted", i);
        }
        reported.put("asOf", Instant.now().plusSeconds(60).toString());
        try (Resp node = servers.resp(KEY)) {
            for (int i = 0; i < PODS; i++) {
                node.command("HSET", KEY, "!" + i,
                        reported.put("pod", "!" + i).toString());
            }
            awaitPods(PODS + 1);
            long before = node.calls("hgetall");
            List<CompletableFuture<Answer>> answers = Stream.generate(() -> pod.api().asOperator()
                    .getAsync("/v1/status?sale=sale-7")).limit(CONSOLES).toList();
            answers.forEach(answer -> assertThat(answer.join().body()
                    .at("/pods/0/purchases/accepted").asInt()).isEqualTo(7));
            assertThat(node.calls("hgetall") - before).isLessThan(CONSOLES / 2);
            node.command("DEL", KEY);
        }
        awaitPods(1);
    }

    @Test
    @DisplayName("W1: outcomes of a sale's purchases are reported by word, for that sale only")
    void purchasesAreReportedByWord() {
        TestSale sale = TestSale.of(Environments.with(pod, servers), "apple:1:1");
        TestSale other = TestSale.of(Environments.with(pod, servers), "apple:9:1");
        sale.bought(fresh("user"), "apple");
        sale.buy(fresh("user"), "apple");
        sale.buy(fresh("user"), "apple");
        other.bought(fresh("user"), "apple");

        Await.until("all are reported", LIMIT, () -> status("?sale=" + sale.id())
                .at("/pods/0/purchases").toString().equals("{\"accepted\":1,\"sold-out\":2}"));
        Await.until("the other's are reported", LIMIT, () -> status("?sale=" + other.id())
                .at("/pods/0/purchases").toString().equals("{\"accepted\":1}"));
        assertThat(status("?sale=nobody").at("/pods/0/purchases").size()).isZero();
        assertThat(status("?sale=nobody").at("/pods/0").has("grabs")).isFalse();
    }

    @Test
    @DisplayName("W1: outcomes of a rain's grabs are reported by word, apart from a sale of its id")
    void grabsAreReportedByWord() {
        TestSale sale = TestSale.of(Environments.with(pod, servers), "apple:9:1");
        TestRain rain = TestRain.named(Environments.with(pod, servers), sale.id());
        Answers.is(201, rain.prepare(TestRain.listed("", 5)));
        rain.grabbed(fresh("user"));
        rain.grab(fresh("user"));
        rain.grab(fresh("user"));
        sale.bought(fresh("user"), "apple");

        Await.until("all are reported", LIMIT, () -> status("?rain=" + rain.id())
                .at("/pods/0/grabs").toString().equals("{\"accepted\":1,\"empty\":2}"));
        assertThat(status("?rain=" + rain.id()).at("/pods/0").has("purchases")).isFalse();
        String both = "?sale=" + sale.id() + "&rain=nobody";
        Await.until("the purchase is reported", LIMIT, () ->
                status(both).at("/pods/0/purchases").toString().equals("{\"accepted\":1}"));
        assertThat(status(both).at("/pods/0/grabs").size()).isZero();
        assertThat(pod.api().asOperator().get("/v1/status?rain=..").status()).isEqualTo(400);
    }
}
