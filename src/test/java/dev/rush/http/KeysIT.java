package dev.rush.http;

import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.rush.testing.Api;
import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import dev.rush.testing.Tokens;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer.MethodName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * X4: keys behind an HTTP address, whose server hangs, heals and changes them. The tests are
 * stages of one pod's life, in the order of their names.
 */
@TestMethodOrder(MethodName.class)
class KeysIT {
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final Tokens OLD = new Tokens("old");
    private static final Tokens NEW = new Tokens("new");
    private static final Tokens STRANGER = new Tokens("stranger");
    private static final AtomicInteger FETCHES = new AtomicInteger();
    private static final ExecutorService THREADS = Executors.newCachedThreadPool();
    private static final Object HANGING = new Object();
    private static volatile String keys;
    private static HttpServer server;
    private static Pod pod;
    private static TestSale sale;

    @BeforeAll
    static void start() throws IOException {
        server = HttpServer.create(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(THREADS);
        server.createContext("/keys", KeysIT::answer);
        server.start();
        pod = Environments.startPod("keys", Environments.single(), Map.of(
                "rush.identity", "token",
                "rush.keys.refresh", "PT1S",
                "rush.keys.retry", "PT0.5S",
                "mp.jwt.verify.publickey.location",
                "http://127.0.0.1:" + server.getAddress().getPort() + "/keys",
                "mp.jwt.verify.issuer", Tokens.ISSUER,
                "mp.jwt.verify.audiences", "rush"));
        sale = TestSale.of(Environments.single(), "apple:1000:0").through(pod.api());
    }

    @AfterAll
    static void stop() {
        pod.close();
        server.stop(0);
        THREADS.shutdownNow();
    }

    @Test
    @DisplayName("X4: while the key server hangs, reads go on and tokens are unavailable")
    void aHangingServerFreezesNothing() {
        Await.until("keys are requested again", LIMIT, () -> FETCHES.get() > 1);
        for (int i = 0; i < 20; i++) {
            long before = System.nanoTime();
            assertThat(sale.api().get(sale.path()).status()).isEqualTo(200);
            refused(as(OLD.token("u")).get(sale.path() + "/orders"), "unavailable");
            refused(as("garbage").get(sale.path() + "/orders"), "unauthenticated");
            assertThat(Duration.ofNanos(System.nanoTime() - before))
                    .isLessThan(Duration.ofSeconds(15));
        }
        assertThat(pod.log()).contains("Could not fetch the token verification keys");
    }

    @Test
    @DisplayName("X4: once the key server answers, only tokens of its keys are valid")
    void bHealedServerIsTrusted() {
        keys = "{\"keys\":[" + OLD.webKey() + "]}";
        String token = OLD.token(fresh("user"));
        Await.until("the key is there", LIMIT,
                () -> as(token).get(sale.path() + "/orders").status() == 200);
        assertThat(as(token).post(sale.purchases(), TestSale.body("apple")).status())
                .isEqualTo(201);
        refused(as(STRANGER.token("u")).get(sale.path() + "/orders"), "unauthenticated");
    }

    @Test
    @DisplayName("X4: a token that was valid is refused once its key is withdrawn")
    void cWithdrawnKeyEndsItsTokens() {
        keys = "{\"keys\":[" + OLD.webKey() + "]}";
        String token = OLD.token(fresh("user"));
        Await.until("the key is there", LIMIT,
                () -> as(token).get(sale.path() + "/orders").status() == 200);
        keys = "{\"keys\":[" + NEW.webKey() + "]}";
        Await.until("the withdrawn key's token is refused", LIMIT,
                () -> as(token).get(sale.path() + "/orders").status() == 401);
        assertThat(as(NEW.token("u")).get(sale.path() + "/orders").status()).isEqualTo(200);
    }

    @Test
    @DisplayName("X4, X6: a header with fields of wrong types is an invalid token, not a failure")
    void dHeaderOfWrongTypesIsRefused() {
        for (String header : List.of("{\"alg\":\"RS256\",\"kid\":5}",
                "{\"alg\":\"RS256\",\"kid\":{}}", "{\"alg\":7}", "[]", "7")) {
            String head = Base64.getUrlEncoder().withoutPadding()
                    .encodeToString(header.getBytes(StandardCharsets.UTF_8));
            refused(as(head + ".e30.AAAA").get(sale.path() + "/orders"), "unauthenticated");
        }
    }

    private static void answer(HttpExchange exchange) throws IOException {
        FETCHES.incrementAndGet();
        if (keys == null) {
            hang();
            return;
        }
        byte[] body = keys.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    /** Never answers, like a server whose storage is gone. */
    private static void hang() {
        synchronized (HANGING) {
            try {
                HANGING.wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static Api as(String token) {
        return sale.api().with("Authorization", "Bearer " + token);
    }
}
