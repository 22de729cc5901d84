package dev.rush.http;

import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Environments;
import dev.rush.testing.RawHttp;
import dev.rush.testing.TestSale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A purchase or a view gets the same answer on both routes: {@link HotRoute} takes the plain
 * spelling, the REST layer all others.
 */
class HotRouteIT {
    private static final String BODY = "{\"items\":[{\"sku\":\"apple\"}]}";

    private final TestSale sale = TestSale.of(Environments.single(), "apple:100:0");

    @ParameterizedTest(name = "{0}, {1}, {2}: {3}")
    @DisplayName("X6: each spelling of path and media types gets the answer that HTTP prescribes")
    @CsvSource(delimiter = '|', nullValues = "-", value = {
        "s     | application/json               | -                      | 201",
        "s     | application/json               | */*                    | 201",
        "s     | Application/JSON               | application/json       | 201",
        "s     | application/json;charset=utf-8 | text/html, */*;q=0.8   | 201",
        "%73   | application/json               | -                      | 201",
        "s     | text/plain                     | -                      | 415",
        "s     | application/json               | text/html              | 406",
        "s/    | application/json               | -                      | 404"})
    void everySpellingGetsItsAnswer(String first, String type, String accept, int status) {
        String path = "/v1/sales/" + sale.id().replaceFirst("^s", first) + "/purchases";

        RawHttp.Answer answer = RawHttp.send(Environments.single().pod().baseUri(),
                "POST " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                        + "X-User-Id: " + fresh("user") + "\r\nContent-Type: " + type + "\r\n"
                        + (accept == null ? "" : "Accept: " + accept + "\r\n")
                        + "Content-Length: " + BODY.length() + "\r\n\r\n" + BODY);

        assertThat(answer.head()).startsWith("HTTP/1.1 " + status + " ")
                .containsIgnoringCase("X-Content-Type-Options: nosniff")
                .containsIgnoringCase(status == 201 ? "Cache-Control: no-store"
                        : "Content-Type: application/problem+json");
    }

    @ParameterizedTest(name = "{0} {1}, Content-Type {2}, Accept {3}")
    @DisplayName("A missing identity is refused before a wrong media type")
    @CsvSource(delimiter = '|', value = {
        "POST  | /v1/sales/x/purchases | text/plain       | */*",
        "POST  | /v1/sales/x/purchases | application/json | text/html",
        "POST  | /v1/rains/x/grabs     | application/json | text/html",
        "POST  | /v1/sales/x/returns   | text/plain       | */*",
        "PUT   | /v1/sales/x           | text/plain       | */*",
        "PATCH | /v1/sales/x           | application/json | text/html",
        "GET   | /v1/sales             | application/json | text/html",
        "GET   | /v1/sales/x/orders/y  | application/json | text/html"})
    void identityComesBeforeMediaTypes(String method, String path, String type, String accept) {
        RawHttp.Answer answer = RawHttp.send(Environments.single().pod().baseUri(),
                method + ' ' + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                        + "Content-Type: " + type + "\r\nAccept: " + accept + "\r\n"
                        + "Content-Length: " + BODY.length() + "\r\n\r\n" + BODY);

        assertThat(answer.head()).startsWith("HTTP/1.1 401 ");
        assertThat(answer.body()).contains("/problems/unauthenticated");
    }

    @ParameterizedTest(name = "GET {0}")
    @DisplayName("What anyone may read needs no identity, whatever the media type")
    @ValueSource(strings = {"/v1/sales/x", "/v1/sales/x/events", "/v1/rains/x",
        "/v1/rains/x/events", "/v1/rains/x/leaderboard"})
    void publicReadsNeedNoIdentity(String path) {
        RawHttp.Answer answer = RawHttp.send(Environments.single().pod().baseUri(),
                "GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                        + "Accept: text/csv\r\n\r\n");

        assertThat(answer.head()).startsWith("HTTP/1.1 406 ");
    }

    @ParameterizedTest(name = "{0}, {1}, If-None-Match {2}: {3}")
    @DisplayName("X6, P13: a view is the same, whatever the spelling of its path and media types")
    @CsvSource(delimiter = '|', nullValues = "-", value = {
        "s     | -                    | -     | 200",
        "s     | application/json     | other | 200",
        "s     | text/html, */*;q=0.8 | -     | 200",
        "s?a=b | */*                  | -     | 200",
        "%73   | -                    | other | 200",
        "s     | -                    | *     | 304",
        "%73   | -                    | *     | 304",
        "no-   | -                    | -     | 404",
        "no%2D | -                    | -     | 404"})
    void everySpellingGetsItsView(String first, String accept, String known, int status) {
        String path = "/v1/sales/" + (first.contains("?") ? sale.id() + first.substring(1)
                : sale.id().replaceFirst("^s", first));

        RawHttp.Answer answer = RawHttp.send(Environments.single().pod().baseUri(),
                "GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                        + (accept == null ? "" : "Accept: " + accept + "\r\n")
                        + (known == null ? "" : "If-None-Match: " + known + "\r\n") + "\r\n");

        assertThat(answer.head()).startsWith("HTTP/1.1 " + status + " ")
                .containsIgnoringCase("X-Content-Type-Options: nosniff");
        if (status < 400) {
            assertThat(answer.head()).containsIgnoringCase("ETag: \"")
                    .containsIgnoringCase("Cache-Control: no-cache");
        }
        if (status == 304) {
            assertThat(answer.body()).isEmpty();
        } else {
            assertThat(answer.body()).contains(status == 200 ? sale.id() : "unknown-");
        }
    }
}
