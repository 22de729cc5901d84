package dev.rush.http;

import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Environments;
import dev.rush.testing.RawHttp;
import dev.rush.testing.TestSale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A purchase is answered alike whichever way it takes: the plain spelling by {@link HotRoute}, all
 * others by the REST layer.
 */
class HotRouteIT {
    private static final String BODY = "{\"items\":[{\"sku\":\"apple\"}]}";

    private final TestSale sale = TestSale.of(Environments.single(), "apple:100:0");

    @ParameterizedTest(name = "{0}, {1}, {2}: {3}")
    @DisplayName("X6: each spelling of path and media types gets the answer that HTTP gives it")
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
}
