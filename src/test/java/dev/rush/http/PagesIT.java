package dev.rush.http;

import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.RawHttp;
import dev.rush.testing.Sources;
import dev.rush.testing.TestSale;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What browsers read: the client always, the demo and the console where enabled, and the API from
 * pages of other origins.
 */
class PagesIT {
    private static final Environment ENVIRONMENT = Environments.single();
    private static final Path FOLDER = Path.of("src/main/resources/pages");
    private static final String SHOP = "https://shop.example";
    private static final int CLIENT_BYTES_MAX = 10_000;
    private static final Pattern ETAG = Pattern.compile("(?i)\r\netag: (\"[0-9a-f]+\")");
    private static Pod pod;
    private static TestSale sale;

    @BeforeAll
    static void start() {
        pod = Environments.startPod("pages", ENVIRONMENT,
                Map.of("rush.demo.enabled", "true", "rush.console.enabled", "true",
                        "rush.cors.origins", SHOP + ",https://other.example",
                        "RUSH_DEADLIN", "PT1S", "RUSH_API_SERVICE_HOST", "10.0.0.1"));
        sale = TestSale.unknown(ENVIRONMENT, pod.api());
        sale.prepare("apple:10:0", "");
    }

    @AfterAll
    static void stop() {
        pod.close();
    }

    private static RawHttp.Answer send(Pod target, String method, String path, String... headers) {
        return RawHttp.send(target.baseUri(), method + " " + path + " HTTP/1.1\r\nHost: x\r\n"
                + "Connection: close\r\n" + String.join("", headers) + "\r\n");
    }

    private static String tag(RawHttp.Answer answer) {
        Matcher etag = ETAG.matcher(answer.head());
        assertThat(etag.find()).as(answer.head()).isTrue();
        return etag.group(1);
    }

    /** The paths of all files. */
    static Stream<String> paths() {
        return Stream.concat(Stream.of("/demo", "/demo/rain", "/console"),
                Sources.files(FOLDER.toString(), ".js", ".css", ".svg").stream()
                        .map(file -> "/" + FOLDER.relativize(file)));
    }

    @Test
    @DisplayName("The client needs no identity, is small, and may be cached and revalidated")
    void theClientIsSmallAndCached() {
        RawHttp.Answer answer = send(ENVIRONMENT.pod(), "GET", "/rush.js");

        assertThat(answer.head()).startsWith("HTTP/1.1 200 ")
                .containsIgnoringCase("content-type: text/javascript;charset=utf-8")
                .containsIgnoringCase("cache-control: public, max-age=300")
                .containsIgnoringCase("x-content-type-options: nosniff");
        assertThat(answer.body().length()).isLessThan(CLIENT_BYTES_MAX)
                .isEqualTo((int) FOLDER.resolve("rush.js").toFile().length());
        RawHttp.Answer again = send(ENVIRONMENT.pod(), "GET", "/rush.js",
                "If-None-Match: " + tag(answer) + "\r\n");
        assertThat(again.status()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
        assertThat(send(ENVIRONMENT.pod(), "GET", "/rush.js", "If-None-Match: \"0\"\r\n").status())
                .isEqualTo(200);
    }

    @Test
    @DisplayName("Pages of a named origin may load the client, and others may not")
    void theClientIsOpenToNamedOrigins() {
        assertThat(send(pod, "GET", "/rush.js", "Origin: " + SHOP + "\r\n").head())
                .containsIgnoringCase("access-control-allow-origin: " + SHOP);
        assertThat(send(pod, "GET", "/rush.js", "Origin: https://evil.example\r\n").status())
                .isEqualTo(403);
    }

    @Test
    @DisplayName("Pages are read-only: HEAD has no body, other methods are refused")
    void pagesAreOnlyRead() {
        RawHttp.Answer head = send(pod, "HEAD", "/demo");
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(tag(head)).isEqualTo(tag(send(pod, "GET", "/demo")));
        RawHttp.Answer post = send(pod, "POST", "/demo", "Content-Length: 0\r\n");
        assertThat(post.status()).isEqualTo(405);
        assertThat(post.isProblem()).isTrue();
        assertThat(post.head()).containsIgnoringCase("allow: GET, HEAD");
    }

    @ParameterizedTest
    @MethodSource("paths")
    @DisplayName("Every file is served under a policy that allows nothing inline and no other host")
    void everyFileIsServedUnderThePolicy(String path) {
        RawHttp.Answer answer = send(pod, "GET", path);

        assertThat(answer.head()).as(path).startsWith("HTTP/1.1 200 ")
                .containsIgnoringCase("x-content-type-options: nosniff")
                .containsIgnoringCase("x-frame-options: DENY")
                .containsIgnoringCase("cross-origin-opener-policy: same-origin")
                .containsIgnoringCase("referrer-policy: no-referrer");
        String policy = answer.head().lines().filter(line ->
                line.toLowerCase(Locale.ROOT).startsWith("content-security-policy:")).findFirst()
                .orElseThrow();
        assertThat(policy).contains("default-src 'none'", "script-src 'self'", "style-src 'self'",
                "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
                "frame-ancestors 'none'").doesNotContain("unsafe", "http", "*", "data:");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "POST", "PUT", "OPTIONS"})
    @DisplayName("Where demo and console are disabled, their paths are like unknown ones")
    void offIsUnknown(String method) {
        RawHttp.Answer unknown = send(ENVIRONMENT.pod(), method, "/nowhere");

        assertThat(unknown.status()).isEqualTo(404);
        paths().filter(path -> !path.equals("/rush.js")).forEach(path ->
                assertThat(send(ENVIRONMENT.pod(), method, path)).as(path).isEqualTo(unknown));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/demo/", "/demo/shop.html", "/demo/../rush.js", "/rush.js/",
        "/demo/%2e%2e/rush.js", "/demo//style.css", "/console/", "/console/console.html",
        "/pages/rush.js", "/application.properties", "/q/openapi/", "/q/open%61pi"})
    @DisplayName("Only the paths of the pages lead to files")
    void otherPathsLeadNowhere(String path) {
        assertThat(send(pod, "GET", path).status()).as(path).isEqualTo(404);
    }

    @Test
    @DisplayName("Files contain no inline script or style and name no other host")
    void filesNameNoOtherHost() {
        List<Path> files = Sources.files(FOLDER.toString(), ".html", ".js", ".css", ".svg");
        assertThat(files).hasSizeGreaterThan(8).allSatisfy(file -> {
            String text = Sources.text(file).replace("'https://rush.example/rush.js'", "")
                    .replace("http://www.w3.org/2000/svg", "");
            assertThat(text).doesNotContain("http:", "https:", "//cdn", "innerHTML", "eval(");
            if (file.toString().endsWith(".html")) {
                assertThat(text).doesNotContainPattern("<style|\\sstyle=|\\son\\w+=")
                        .doesNotContainPattern("<script(?![^>]* src=)");
            }
        });
    }

    private static RawHttp.Answer preflight(Pod target, String origin, String method) {
        return RawHttp.send(target.baseUri(), "OPTIONS " + sale.purchases()
                + " HTTP/1.1\r\nHost: rush.example\r\nConnection: close\r\nOrigin: " + origin
                + "\r\nAccess-Control-Request-Method: " + method
                + "\r\nAccess-Control-Request-Headers: authorization,idempotency-key\r\n\r\n");
    }

    private static RawHttp.Answer readAs(Pod target, String origin) {
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
        RawHttp.Answer answer = readAs(pod, SHOP);
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
            RawHttp.Answer refusal = readAs(pod, origin);
            assertThat(list(refusal, "access-control-allow-origin")).isEmpty();
            assertThat(refusal.status()).isEqualTo(403);
            assertThat(list(refusal, "content-type")).containsExactly("application/problem+json");
            assertThat(refusal.toString()).contains("/problems/forbidden");
        }
        assertThat(readAs(pod, "http://rush.example").status()).as("its own pages").isEqualTo(200);
        assertThat(list(readAs(ENVIRONMENT.pod(), SHOP), "access-control-allow-origin")).isEmpty();
        assertThat(readAs(ENVIRONMENT.pod(), SHOP).status()).isEqualTo(200);
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
