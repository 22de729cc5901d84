package dev.rush.http;

import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.RawHttp;
import dev.rush.testing.TestSale;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Calls from web pages of other origins. */
class CorsIT {
    private static final Environment ENVIRONMENT = Environments.single();
    private static final String SHOP = "https://shop.example";
    private static Pod pod;
    private static TestSale sale;

    @BeforeAll
    static void start() {
        pod = Environments.startPod("cors", ENVIRONMENT, Map.of(
                "rush.cors.origins", SHOP + ",https://other.example",
                "RUSH_DEADLIN", "PT1S", "RUSH_API_SERVICE_HOST", "10.0.0.1"));
        sale = TestSale.unknown(ENVIRONMENT, pod.api());
        sale.prepare("apple:10:0", "");
    }

    @AfterAll
    static void stop() {
        pod.close();
    }

    private static RawHttp.Answer preflight(Pod target, String origin, String method) {
        return RawHttp.send(target.baseUri(), "OPTIONS " + sale.purchases()
                + " HTTP/1.1\r\nHost: rush.example\r\nConnection: close\r\nOrigin: " + origin
                + "\r\nAccess-Control-Request-Method: " + method
                + "\r\nAccess-Control-Request-Headers: authorization,idempotency-key\r\n\r\n");
    }

    private static RawHttp.Answer read(Pod target, String origin) {
        return RawHttp.send(target.baseUri(), "GET " + sale.path() + " HTTP/1.1\r\n"
                + "Host: rush.example\r\nConnection: close\r\nOrigin: " + origin + "\r\n\r\n");
    }

    private static Set<String> list(RawHttp.Answer answer, String header) {
        return answer.head().lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(header + ":"))
                .flatMap(line -> Arrays.stream(line.substring(header.length() + 1).split(",")))
                .map(value -> value.trim().toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
    }

    @Test
    @DisplayName("A preflight from a named origin is answered without an identity")
    void preflightNeedsNoIdentity() {
        RawHttp.Answer answer = preflight(pod, SHOP, "POST");
        assertThat(answer.status()).as("%s", answer).isEqualTo(200);
        assertThat(list(answer, "access-control-allow-origin")).containsExactly(SHOP);
        assertThat(list(answer, "access-control-allow-headers"))
                .contains("authorization", "content-type", "idempotency-key", "x-user-id");
        assertThat(list(answer, "access-control-allow-methods"))
                .contains("get", "post", "put", "patch", "delete");
        assertThat(list(answer, "access-control-allow-credentials")).doesNotContain("true");
    }

    @Test
    @DisplayName("A page of a named origin may read the headers of the contract")
    void headersOfTheContractAreExposed() {
        RawHttp.Answer answer = read(pod, SHOP);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(list(answer, "access-control-allow-origin")).containsExactly(SHOP);
        assertThat(list(answer, "access-control-expose-headers")).contains("location",
                "retry-after", "idempotency-replayed", "ratelimit", "ratelimit-policy");
    }

    @Test
    @DisplayName("Other origins get no permission, and no origin does without rush.cors.origins")
    void otherOriginsGetNoPermission() {
        for (String origin : new String[] {"https://evil.example", SHOP + ".evil.example",
            "http://shop.example", "null"}) {
            assertThat(list(preflight(pod, origin, "POST"), "access-control-allow-origin"))
                    .as(origin).isEmpty();
            RawHttp.Answer refusal = read(pod, origin);
            assertThat(list(refusal, "access-control-allow-origin")).isEmpty();
            assertThat(refusal.status()).isEqualTo(403);
            assertThat(list(refusal, "content-type")).containsExactly("application/problem+json");
            assertThat(refusal.toString()).contains("/problems/forbidden");
        }
        assertThat(read(pod, "http://rush.example").status()).as("its own pages").isEqualTo(200);
        assertThat(list(read(ENVIRONMENT.pod(), SHOP), "access-control-allow-origin")).isEmpty();
        assertThat(read(ENVIRONMENT.pod(), SHOP).status()).isEqualTo(200);
        refused(pod.api().get("/v1/sales"), "unauthenticated");
    }

    @Test
    @DisplayName("A variable that is not a setting is reported at start, with the nearest setting")
    void unknownVariablesAreReported() {
        assertThat(pod.log().lines().filter(line -> line.contains("RUSH_DEADLIN is not a setting")))
                .singleElement().asString().contains("WARN", "RUSH_DEADLINE?");
        assertThat(pod.log()).doesNotContain("RUSH_API_SERVICE_HOST is");
    }
}
