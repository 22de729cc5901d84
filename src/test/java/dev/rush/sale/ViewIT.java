package dev.rush.sale;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.json;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.testing.Answers;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Resp;
import dev.rush.testing.Setting;
import dev.rush.testing.TestSale;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Reading sales: P13, and the operators' list. */
@ParameterizedClass
@EnumSource(value = Setting.class, names = {"SINGLE", "CLUSTER", "SHARDS"})
class ViewIT {
    private static final long STALE_MS = 200;

    @Parameter
    Setting setting;

    private Environment environment() {
        return setting.environment();
    }

    @Test
    @DisplayName("The view has the fields of the contract, and needs no identity")
    void viewHasTheFieldsOfTheContract() {
        TestSale sale = TestSale.of(environment(), "apple:100:2",
                "'title':'Apple day','opensAt':'2026-01-01T00:00:00Z',"
                        + "'closesAt':'2199-01-01T00:00:00.5Z'");
        JsonNode view = is(200, sale.view()).body();

        assertThat(view.path("sale").asText()).isEqualTo(sale.id());
        assertThat(view.path("title").asText()).isEqualTo("Apple day");
        assertThat(view.path("state").asText()).isEqualTo("open");
        assertThat(Instant.parse(view.path("opensAt").asText()))
                .isEqualTo("2026-01-01T00:00:00Z");
        assertThat(Instant.parse(view.path("closesAt").asText()))
                .isEqualTo("2199-01-01T00:00:00.5Z");
        assertThat(view.path("items").toString()).isEqualTo(json("[{'sku':'apple',"
                + "'title':'apple','total':100,'left':100,'limitPerUser':2}]"));
        assertThat(Instant.parse(view.path("asOf").asText()))
                .isBetween(Instant.now().minusSeconds(10), Instant.now().plusSeconds(1));
    }

    @Test
    @DisplayName("P13: a view is at most 200 ms old, whatever was served before")
    void viewIsAtMostTwoHundredMillisecondsOld() {
        TestSale sale = TestSale.of(environment(), "apple:100:0");
        for (int i = 0; i < 60; i++) {
            Instant asked = Instant.now();
            JsonNode view = is(200, sale.view()).body();
            assertThat(Instant.parse(view.path("asOf").asText()))
                    .isAfterOrEqualTo(asked.minusMillis(STALE_MS + 1));
            Await.sleep(i % 6 * 20L);
        }
        sale.bought(fresh("user"), "apple:7");
        Await.until("the purchase shows", Duration.ofSeconds(2), () ->
                sale.view().body().path("items").get(0).path("left").asLong() == 93);
    }

    @Test
    @DisplayName("P13: most reads do not call Redis")
    void mostReadsDoNotCallRedis() {
        TestSale sale = TestSale.of(environment(), "apple:100:0");
        int reads = 2_000;
        is(200, sale.view());
        long scriptsBefore = scripts(sale);
        long start = System.nanoTime();

        List<Answer> answers =
                Api.rush(reads, 32, i -> sale.api().callAsync("GET", sale.path(), null));

        long elapsedMs = Duration.ofNanos(System.nanoTime() - start).toMillis();
        assertThat(answers).allMatch(answer -> answer.status() == 200);
        assertThat(scripts(sale) - scriptsBefore).as("script calls in %d ms", elapsedMs)
                // Two pods refresh ten times a second; other sales of this Redis run scripts, too.
                .isLessThan(sale.shards().count() * (elapsedMs / 25 + 50));
    }

    @Test
    @DisplayName("P13: ETag, If-None-Match and Cache-Control")
    void unchangedViewIsNotSentAgain() {
        TestSale sale = TestSale.of(environment(), "apple:100:0");
        Answer first = is(200, sale.view());
        String etag = first.header("ETag");
        assertThat(etag).matches("(W/)?\"[^\"]+\"");
        assertThat(first.header("Cache-Control")).isNotBlank();

        for (String known : List.of(etag, "W/" + etag, "\"x\", " + etag, "*")) {
            Answer same = sale.api().with("If-None-Match", known).get(sale.path());
            assertThat(same.status()).as("If-None-Match: %s", known).isEqualTo(304);
            assertThat(same.body().isMissingNode()).isTrue();
            assertThat(same.header("ETag")).isEqualTo(etag);
        }
        for (String other : List.of("\"x\"", "x", "", "\"\r".trim(), etag.substring(1))) {
            is(200, sale.api().with("If-None-Match", other).get(sale.path()));
        }
        sale.bought(fresh("user"), "apple");
        Await.until("a changed view has another tag", Duration.ofSeconds(2), () ->
                sale.api().with("If-None-Match", etag).get(sale.path()).status() == 200);
        assertThat(sale.view().header("ETag")).isNotEqualTo(etag);
    }

    @Test
    @DisplayName("The list of sales is newest first, paged, and misses none")
    void listIsPagedAndMissesNone() {
        List<CompletableFuture<Answer>> prepared = new ArrayList<>();
        List<String> mine = new ArrayList<>();
        Api operator = environment().api().asOperator();
        for (int i = 0; i < 40; i++) { // Concurrently, so that some share a millisecond.
            TestSale sale = TestSale.unknown(environment());
            mine.add(sale.id());
            prepared.add(operator.callAsync("PUT", sale.path(),
                    TestSale.definition("apple:1:0", "")));
        }
        prepared.forEach(answer -> is(201, answer.join()));

        List<String> seen = new ArrayList<>();
        List<Instant> times = new ArrayList<>();
        String next = "/v1/sales?limit=3";
        while (!seen.containsAll(mine) && next != null) {
            JsonNode page = is(200, operator.get(next)).body();
            assertThat(page.path("sales").size()).isLessThanOrEqualTo(3);
            for (JsonNode sale : page.path("sales")) {
                seen.add(sale.path("sale").asText());
                times.add(Instant.parse(sale.path("preparedAt").asText()));
                assertThat(sale.has("state") || sale.size() == 2).isTrue();
            }
            next = page.hasNonNull("next") ? page.path("next").asText() : null;
        }

        assertThat(seen).containsAll(mine).doesNotHaveDuplicates();
        assertThat(times).isSortedAccordingTo((a, b) -> b.compareTo(a));
    }

    @Test
    @DisplayName("400: a page of the list has 1 to 100 sales and a valid start")
    void pageIsBounded() {
        Api operator = environment().api().asOperator();
        for (String query : List.of("limit=0", "limit=101", "limit=x", "limit=-1",
                "limit=99999999999", "limit=%00", "before=yesterday", "before=0",
                "before=2026-01-01T00:00:00Z,%7Bx%7D", "before=2026-01-01T00:00:00Z,")) {
            Answers.refused(operator.get("/v1/sales?" + query), "invalid-request");
        }
        is(200, operator.get("/v1/sales?limit=100"));
    }

    private static long scripts(TestSale sale) {
        try (Resp resp = sale.resp()) {
            return resp.calls("eval");
        }
    }
}
