package dev.rush.http;

import static dev.rush.testing.Answers.json;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.testing.Environment;
import dev.rush.testing.RawHttp;
import dev.rush.testing.Resp;
import dev.rush.testing.Setting;
import dev.rush.testing.TestSale;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Hostile input (P4, S2, X5) never causes a 5xx, moves a hash slot or forges a log line. Valid HTTP
 * gets a problem, and the service continues.
 */
@ParameterizedClass
@EnumSource(value = Setting.class, names = {"SINGLE", "CLUSTER"})
class HostileIT {
    private static final Partitions PARTITIONS = new Partitions(64);
    private static final Pattern KEY =
            Pattern.compile("rush:(?:partitions|\\{([a-z0-9.]+)}:([A-Za-z0-9._:-]+))");
    private static final Pattern OF_A_SALE = Pattern.compile("sale:([A-Za-z0-9._-]+):[a-z]+");
    private static final String FORGED = "FORGED";
    private static final Executor SENDERS = Executors.newFixedThreadPool(16, task -> {
        Thread thread = new Thread(task, "sender");
        thread.setDaemon(true);
        return thread;
    });
    private static final int MEGABYTE = 1 << 20;
    private TestSale sale;
    private int logBefore;

    @Parameter
    Setting setting;

    private Environment environment() {
        return setting.environment();
    }

    @BeforeEach
    void openSale() {
        sale = TestSale.of(environment(), "apple:1000:0");
        logBefore = environment().pod().log().length();
    }

    @AfterEach
    void serviceContinuesAndNothingWasForged() {
        assertThat(sale.buy(fresh("user"), "apple").status()).isEqualTo(201);
        String log = environment().pod().log().substring(logBefore);
        assertThat(log.lines()).noneMatch(line -> line.stripLeading().startsWith(FORGED))
                .noneMatch(line -> line.contains("\"level\":\"ERROR\""));
        assertKeysLieWhereTheyBelong();
    }

    @Test
    @DisplayName("X5: valid HTTP requests get a success or a problem, whatever they contain")
    void validHttpGetsProblems() {
        assertThat(wrongAnswers(HostileRequests.wellFormed(sale), Duration.ofSeconds(8), answer ->
                answer.status() > 0 && answer.status() < 500
                        && (answer.status() < 400 || answer.isProblem()))).isEmpty();
    }

    @Test
    @DisplayName("X5: invalid HTTP is refused or cut off, never a 5xx")
    void invalidHttpIsCutOff() {
        // Some get no answer, and the test waits for as long as it calls silence.
        assertThat(wrongAnswers(HostileRequests.malformed(sale), Duration.ofSeconds(3), answer ->
                answer.isSilence() || answer.status() >= 400 && answer.status() < 500)).isEmpty();
    }

    @Test
    @DisplayName("P4, X5: hostile bodies are invalid requests and take nothing")
    void hostileBodiesAreInvalid() {
        TreeMap<String, String> wrong = new TreeMap<>();
        for (byte[] body : HostileRequests.bodies()) {
            RawHttp.Answer answer = post(body);
            boolean fits = body.length <= Bodies.BYTES_MAX;
            if (answer.status() != (fits ? 400 : 413) || !answer.isProblem()
                    || !answer.body().contains(fits ? "invalid-request" : "too-large")) {
                wrong.put(shortened(new String(body, StandardCharsets.ISO_8859_1)),
                        answer.status() + " " + answer.head() + answer.body());
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(sale.left("apple")).isEqualTo(1_000);
    }

    @Test
    @DisplayName("X5: a body beyond its call's bound is too-large, declared or chunked")
    void bodyBeyondItsBoundIsTooLarge() {
        byte[] largest = body(Bodies.BYTES_MAX);
        byte[] beyond = body(Bodies.BYTES_MAX + 1);

        assertThat(post(largest).status()).isEqualTo(400); // It is read, and is no purchase.
        assertThat(chunked(largest).status()).isEqualTo(400);
        assertTooLarge(post(beyond));
        assertTooLarge(chunked(beyond));
        assertTooLarge(post(body(11 * MEGABYTE)));
        assertTooLarge(chunked(body(11 * MEGABYTE)));
        assertTooLarge(RawHttp.send(environment().pod().baseUri(),
                head("Content-Length: 11534336\r\nExpect: 100-continue\r\n")));
        assertTooLarge(RawHttp.send(environment().pod().baseUri(),
                head("Content-Length: 11534336\r\n") + "{\"items\":["));
    }

    @Test
    @DisplayName("X5: a definition may have 1 MiB, and only operators may send one")
    void definitionMayBeLarge() {
        String path = "PUT /v1/rains/" + fresh("rain");
        assertThat(put(path, "operator", body(MEGABYTE)).status()).isEqualTo(400);
        assertTooLarge(put(path, "operator", body(MEGABYTE + 1)));
        assertThat(put(path, "buyer", body(MEGABYTE)).status()).isEqualTo(403);
        assertThat(put("PUT " + sale.path(), "operator", body(MEGABYTE)).status())
                .isEqualTo(400);
    }

    @Test
    @DisplayName("X5: a chunked body within its bound is read like any other")
    void chunkedBodyIsRead() {
        RawHttp.Answer answer = chunked(TestSale.body("apple:2").getBytes(
                StandardCharsets.ISO_8859_1));
        assertThat(answer.status()).as("%s", answer).isEqualTo(201);
        assertThat(sale.left("apple")).isEqualTo(998);
        RawHttp.Answer expecting = RawHttp.send(environment().pod().baseUri(), head(
                "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n")
                + "1e\r\n{\"items\":[{\"sku\":\"apple\"}]}   \r\n0\r\n\r\n");
        assertThat(expecting.status()).as("%s", expecting).isEqualTo(201);
    }

    @Test
    @DisplayName("X5: one request never gets two answers, and ambiguous framing ends a connection")
    void oneRequestNeverGetsTwoAnswers() {
        URI server = environment().pod().baseUri();
        Map<String, String> wrong = new ConcurrentSkipListMap<>();
        List<CompletableFuture<Void>> sent = Smuggling.requests(sale).stream()
                .map(request -> CompletableFuture.runAsync(() -> {
                    String answers = RawHttp.exchange(server, request);
                    if (!Smuggling.isRefusedOnce(answers)) {
                        wrong.put(shortened(request), answers);
                    }
                }, SENDERS)).toList();
        sent.forEach(CompletableFuture::join);
        assertThat(wrong).isEmpty();
    }

    @Test
    @DisplayName("S2: braces and separators in users and keys move no slot and break no field")
    void bracesInUsersAndKeysMoveNoSlot() {
        List<String> odd = List.of("{x}", "{p01}", "}{", "{}", "a:b", "a{b}c:conf", "*", "\"'`",
                "$(id)", "${jndi:ldap://x}", "%s%n", "\\r\\n" + FORGED, "<script>", "...", "-1");
        for (String text : odd) {
            assertThat(sale.buy(text, "apple", text).status()).as(text).isEqualTo(201);
            assertThat(sale.buy(text, "apple", text).header("Idempotency-Replayed")).as(text)
                    .isEqualTo("true");
        }
        assertThat(sale.orders()).isEqualTo(odd.size());
        assertThat(sale.hash("buyers").keySet()).containsExactlyInAnyOrderElementsOf(odd);
        assertThat(odd).allMatch(text -> sale.orders(text).get(0).get(2).equals(text));
    }

    /** Sends all concurrently, as some get no answer. Returns the wrong answers by request. */
    private Map<String, String> wrongAnswers(
            List<String> requests, Duration silence, Predicate<RawHttp.Answer> good) {
        URI server = environment().pod().baseUri();
        Map<String, String> wrong = new ConcurrentSkipListMap<>();
        Stream<CompletableFuture<Void>> sent = requests.stream().map(request ->
                CompletableFuture.runAsync(() -> {
                    RawHttp.Answer answer = RawHttp.send(server, request, silence);
                    if (!good.test(answer)) {
                        wrong.put(shortened(request), answer.status() + " " + answer.head());
                    }
                }, SENDERS));
        sent.toList().forEach(CompletableFuture::join);
        return wrong;
    }

    private RawHttp.Answer post(byte[] body) {
        return RawHttp.send(environment().pod().baseUri(), join(
                head("Content-Length: " + body.length + "\r\n").getBytes(
                        StandardCharsets.ISO_8859_1), body));
    }

    private RawHttp.Answer put(String line, String roles, byte[] body) {
        return RawHttp.send(environment().pod().baseUri(), join((line + " HTTP/1.1\r\nHost: x\r\n"
                + "X-User-Id: h\r\nX-User-Roles: " + roles + "\r\nConnection: close\r\n"
                + "Content-Type: application/json\r\nContent-Length: " + body.length
                + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1), body));
    }

    private RawHttp.Answer chunked(byte[] body) {
        String size = Integer.toHexString(body.length);
        return RawHttp.send(environment().pod().baseUri(), join(
                (head("Transfer-Encoding: chunked\r\n") + size + "\r\n").getBytes(
                        StandardCharsets.ISO_8859_1),
                join(body, "\r\n0\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1))));
    }

    private String head(String more) {
        return "POST " + sale.purchases() + " HTTP/1.1\r\nHost: x\r\nX-User-Id: " + fresh("user")
                + "\r\nContent-Type: application/json\r\nConnection: close\r\n" + more + "\r\n";
    }

    private static void assertTooLarge(RawHttp.Answer answer) {
        assertThat(answer.status()).as("%s", answer).isEqualTo(413);
        assertThat(answer.isProblem()).as("%s", answer).isTrue();
        assertThat(answer.body()).contains("/problems/too-large");
    }

    private static byte[] body(int bytes) {
        String start = json("{'x':'");
        return (start + "x".repeat(bytes - start.length() - 2) + json("'}"))
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] join(byte[] first, byte[] second) {
        byte[] all = new byte[first.length + second.length];
        System.arraycopy(first, 0, all, 0, first.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }

    private static String shortened(String text) {
        return text.length() > 300 ? text.substring(0, 300) + "…" : text;
    }

    private void assertKeysLieWhereTheyBelong() {
        List<String> wrong = new ArrayList<>();
        for (Partition node : List.of(PARTITIONS.all().get(0), PARTITIONS.all().get(31),
                PARTITIONS.all().get(63))) { // One on each master.
            try (Resp resp = environment().resp(node.key("x"))) {
                for (Object key : resp.list("KEYS", "*")) {
                    Matcher parts = KEY.matcher((String) key);
                    boolean good = parts.matches();
                    Matcher ofSale = good && parts.group(2) != null
                            ? OF_A_SALE.matcher(parts.group(2)) : null;
                    if (!good || ofSale != null && ofSale.matches()
                            && !PARTITIONS.of(ofSale.group(1)).tag().equals(parts.group(1))) {
                        wrong.add((String) key);
                    }
                }
            }
        }
        assertThat(wrong).as("keys where none belong").isEmpty();
    }
}
