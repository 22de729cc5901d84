package dev.rush.rain;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.json;
import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestRain.listed;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Setting;
import dev.rush.testing.TestRain;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Reading rains, permissions, hostile input, and damaged rains: I13, I14, X4, X5. */
@ParameterizedClass
@EnumSource(value = Setting.class, names = {"SINGLE", "CLUSTER"})
class RainViewIT {

    private static final Duration LIMIT = Duration.ofSeconds(5);

    @Parameter
    Setting setting;

    private Environment environment() {
        return setting.environment();
    }

    @Test
    @DisplayName("The view has the fields of the contract and an ETag, and needs no identity")
    void viewHasTheFieldsOfTheContract() {
        TestRain rain = TestRain.unknown(environment());
        is(201, rain.prepare(listed("'title':'Quiz','startsAt':'2026-01-01T00:00:00Z',"
                + "'endsAt':'2199-01-01T00:00:00Z'", 5, 6)));
        rain.grabbed("ann");
        Await.until("the grab shows", LIMIT, () ->
                rain.view().body().path("left").path("count").asInt() == 1);
        Answer answer = is(200, rain.view());
        JsonNode view = answer.body();
        assertThat(view.path("rain").asText()).isEqualTo(rain.id());
        assertThat(view.path("title").asText()).isEqualTo("Quiz");
        assertThat(view.path("state").asText()).isEqualTo("open");
        assertThat(view.path("startsAt").asText()).isEqualTo("2026-01-01T00:00:00Z");
        assertThat(view.path("endsAt").asText()).isEqualTo("2199-01-01T00:00:00Z");
        assertThat(view.path("limitPerUser").asInt()).isEqualTo(3);
        assertThat(view.path("prepared").toString()).isEqualTo(json("{'count':2,'amount':11}"));
        assertThat(view.path("left").toString()).isEqualTo(json("{'count':1,'amount':6}"));
        assertThat(Instant.parse(view.path("asOf").asText()))
                .isBetween(Instant.now().minusSeconds(10), Instant.now().plusSeconds(1));
        Answer unchanged = rain.api().with("If-None-Match", answer.header("ETag"))
                .get(rain.path());
        assertThat(unchanged.status()).isEqualTo(304);
    }

    @Test
    @DisplayName("The operators' list has all rains, newest first, in pages")
    void listIsPaged() {
        List<String> prepared = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            prepared.add(0, TestRain.of(environment(), 1, 1).id());
        }
        Api operator = environment().api().asOperator();
        List<String> listed = new ArrayList<>();
        String next = "/v1/rains?limit=2";
        while (listed.size() < 5) {
            JsonNode page = is(200, operator.get(next)).body();
            assertThat(page.path("rains")).hasSizeLessThanOrEqualTo(2);
            page.path("rains").forEach(rain -> listed.add(rain.path("rain").asText()));
            next = page.path("next").asText();
        }
        assertThat(listed.subList(0, 5)).isEqualTo(prepared);
    }

    @Test
    @DisplayName("X4: operators' calls need an operator, a grab needs a user, reading needs nobody")
    void callsNeedTheirRole() {
        TestRain rain = TestRain.of(environment(), 3, 1);
        Api nobody = rain.api();
        String body = json(listed("", 1));
        for (Answer answer : List.of(nobody.put(rain.path(), body), nobody.get("/v1/rains"),
                nobody.post(rain.path() + "/close"), nobody.post(rain.path() + "/grabs"),
                nobody.get(rain.path() + "/grabs"))) {
            refused(answer, "unauthenticated");
        }
        Api user = nobody.as(fresh("user"));
        for (Answer answer : List.of(user.put(rain.path(), body), user.get("/v1/rains"),
                user.post(rain.path() + "/close"), user.post(rain.path() + "/pause"))) {
            refused(answer, "forbidden");
        }
        is(200, rain.view());
        is(200, rain.leaderboard(""));
    }

    @Test
    @DisplayName("P4, X5: hostile input is refused and changes nothing")
    void hostileInputIsRefused() {
        TestRain rain = TestRain.of(environment(), 3, 1, 2);
        Api user = rain.api().as(fresh("user"));
        String grabs = rain.path() + "/grabs";
        for (String body : List.of("[]", "7", "null", "{", "{\"amount\":9}", "\"x\"", "{}{}")) {
            refused(user.post(grabs, body), "invalid-request");
        }
        for (String key : List.of("a b", "x".repeat(129), "a\tb")) {
            refused(user.key(key).post(grabs), "invalid-request");
        }
        for (String id : List.of("a%20b", "x".repeat(65), "%7Bp07%7D", "caf%C3%A9", "a%3Ab")) {
            refused(user.post("/v1/rains/" + id + "/grabs"), "invalid-request");
            refused(user.get("/v1/rains/" + id), "invalid-request");
            refused(rain.api().asOperator().put("/v1/rains/" + id, json(listed("", 1))),
                    "invalid-request");
        }
        refused(user.post("/v1/rains/" + fresh("none") + "/grabs"), "unknown-rain");
        refused(user.get("/v1/rains/" + fresh("none") + "/grabs"), "unknown-rain");
        refused(user.delete(rain.path()), "method-not-allowed");
        refused(rain.prepare("{'envelopes':{'amounts':[1,2.5]}}"), "invalid-request");
        refused(rain.prepare(""), "invalid-request");
        assertThat(rain.left()).containsExactly(1L, 2L);
        String strange = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
        assertThat(is(201, rain.grab(strange, strange)).body().path("user").asText())
                .isEqualTo(strange);
        assertThat(rain.grabs(strange)).hasSize(1);
        assertThat(rain.board("")).containsExactly(strange + "-1 1");
    }

    @Test
    @DisplayName("A grab whose script fails is answered failed and pauses the rain")
    void defectPausesTheRain() {
        TestRain rain = TestRain.of(environment(), 3, 1, 2, 3, 4);
        rain.grabbed("ann");
        rain.redis("DEL", rain.key("board"));
        rain.redis("SET", rain.key("board"), "not a zset");
        double before = environment().pod().metric("rush_half_done_total");

        refused(rain.grab("bob"), "failed");

        assertThat(environment().pod().metric("rush_half_done_total")).isGreaterThan(before);
        Await.until("the rain is paused", LIMIT, () ->
                rain.grab("carl").word().equals("paused"));
        assertThat(rain.left()).as("nothing was written").containsExactly(2L, 3L, 4L);
        assertThat(environment().pod().metric("rush_grabs_total", "outcome=\"failed\""))
                .isGreaterThanOrEqualTo(1);
    }

    @Test
    @DisplayName("I14: a rain whose envelopes are lost is not-loaded, and is never filled again")
    void lostEnvelopesAreNotFilledAgain() {
        TestRain rain = TestRain.of(environment(), 3, 1, 2, 3);
        rain.grabbed("ann");
        rain.redis("DEL", rain.key("envelopes"));

        refused(rain.grab("bob"), "not-loaded");
        refused(rain.prepare(listed("'limitPerUser':3", 1, 2, 3)), "not-loaded");
        Await.until("the view shows it", LIMIT, () -> rain.view().word().equals("not-loaded"));
        assertThat(rain.left()).isEmpty();
    }

    @Test
    @DisplayName("S1: scripts that Redis has forgotten are loaded again")
    void forgottenScriptsAreLoadedAgain() {
        TestRain rain = TestRain.of(environment(), 3, 1, 2);
        for (String user : List.of("ann", "bob")) {
            rain.redis("SCRIPT", "FLUSH");
            assertThat(rain.grabbed(user)).isGreaterThan(0);
        }
        is(200, rain.view());
    }

    @Test
    @DisplayName("Events report the rain at once, then its changes; an unknown rain has none")
    void eventsReportChanges() throws Exception {
        TestRain rain = TestRain.of(environment(), 3, 1, 2);
        HttpRequest request = HttpRequest.newBuilder(
                URI.create(environment().pod().baseUri() + rain.path() + "/events")).build();
        List<String> events = new CopyOnWriteArrayList<>();
        HttpResponse<Stream<String>> stream = HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofLines());
        assertThat(stream.headers().firstValue("Content-Type").orElse(""))
                .startsWith("text/event-stream");
        Thread reader = new Thread(() -> stream.body()
                .filter(line -> line.startsWith("data:")).limit(2).forEach(events::add));
        reader.start();
        Await.until("the first event", LIMIT, () -> events.size() == 1);
        rain.grabbed("ann");
        Await.until("the change", LIMIT, () -> events.size() == 2);
        reader.join();
        assertThat(events.get(0)).contains("\"left\":{\"count\":2,\"amount\":3}");
        assertThat(events.get(1)).contains("\"left\":{\"count\":1,\"amount\":2}");
        refused(rain.api().get("/v1/rains/" + fresh("none") + "/events"), "unknown-rain");
    }
}
