package dev.rush.http;

import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.RawHttp;
import dev.rush.testing.TestSale;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Rules for every call: headers of answers, and bodies that never become complete. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class EarlyAnswersIT {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Environment ENVIRONMENT = Environments.single();
    private static final int BODIES = 30;
    private static final int SHARE = 3;
    /** With the purchase before them, the most that a connection may pipeline. */
    private static final int PIPELINED = 255;
    private static Pod pod;

    @BeforeAll
    static void start() {
        pod = Environments.startPod("early", ENVIRONMENT, Map.of(
                "rush.http.bodies-per-user", Integer.toString(SHARE),
                "rush.http.body-timeout", "PT60S"));
    }

    @AfterAll
    static void stop() {
        pod.close();
    }

    @Test
    @DisplayName("Every answer forbids sniffing its type; answers to one caller are not cached")
    void answersCarryTheHeadersThatBrowsersAndProxiesHeed() {
        TestSale sale = TestSale.of(ENVIRONMENT, "apple:10:0");
        Api anybody = sale.api();
        Api operator = anybody.asOperator();
        Answer bought = status(201, sale.buy("711", "apple"));
        Map<String, Answer> forOne = new LinkedHashMap<>();
        forOne.put("a purchase", bought);
        forOne.put("an order", status(200, anybody.as("711").get(bought.header("Location"))));
        forOne.put("orders", status(200, anybody.as("711").get(sale.path() + "/orders")));
        forOne.put("a refusal", sale.buy("711", "pear"));
        forOne.put("a stranger",
                status(401, anybody.post(sale.purchases(), TestSale.body("apple"))));
        forOne.put("a buyer who controls",
                status(403, anybody.as("711").post(sale.path() + "/pause")));
        forOne.put("no JSON", status(400, anybody.as("711").post(sale.purchases(), "{")));
        forOne.put("a large body", status(413, anybody.as("711").post(
                sale.purchases(), TestSale.body("apple") + " ".repeat(Bodies.BYTES_MAX))));
        forOne.put("the blocklist", status(200, operator.get("/v1/blocklist")));
        forOne.put("control", status(200, operator.post(sale.path() + "/pause")));
        Map<String, Answer> all = new LinkedHashMap<>(forOne);
        all.put("a view", status(200, sale.view()));
        all.put("no such sale", status(404, anybody.get("/v1/sales/" + fresh("none"))));
        all.put("no such path", status(404, anybody.get("/v1/nowhere")));
        all.put("no such method", anybody.call("DELETE", sale.path(), null));
        all.put("the contract", status(200, anybody.get("/q/openapi")));
        all.forEach((what, answer) -> assertThat(answer.headers()
                .allValues("X-Content-Type-Options")).as(what).containsExactly("nosniff"));
        forOne.forEach((what, answer) -> assertThat(answer.headers()
                .allValues("Cache-Control")).as(what).containsExactly("no-store"));
    }

    @Test
    @DisplayName("A head without a valid host or URI is refused, not logged, and labels no metric")
    void invalidHeadsLeaveNoTrace() {
        for (String head : List.of("GET /made-up-1 HTTP/1.1\r\n",
                "GET /made-up-2 HTTP/1.1\r\nHost: a b\r\n",
                "GET /made-up-3?% HTTP/1.1\r\nHost: x\r\n",
                "GET /made-up-4%zz HTTP/1.1\r\nHost: x\r\n",
                "GET made-up-5 HTTP/1.1\r\nHost: x\r\n",
                "GET /made-up-6{x} HTTP/1.1\r\nHost: x\r\n",
                "GET ftp://x/made-up-7 HTTP/1.1\r\nHost: x\r\n",
                "GET http:made-up-8 HTTP/1.1\r\nHost: x\r\n",
                "OPTIONS * HTTP/1.1\r\nHost: x\r\n")) {
            assertThat(RawHttp.send(pod.baseUri(), head + "Connection: close\r\n\r\n").head())
                    .as(head).startsWith("HTTP/1.1 400 ");
        }
        assertThat(pod.log()).doesNotContain("made-up");
        assertThat(pod.metrics()).doesNotContain("made-up");
    }

    @Test
    @DisplayName("X5: requests that are pipelined behind one that waits are all answered")
    void pipelinedRequestsDoNotOverflowTheStack() {
        TestSale sale = TestSale.of(ENVIRONMENT, "apple:10:0").through(pod.api());
        String body = TestSale.body("apple");
        String view = "GET " + sale.path() + " HTTP/1.1\r\nHost: x\r\n";
        String answers = RawHttp.exchange(pod.baseUri(), "POST " + sale.purchases()
                + " HTTP/1.1\r\nHost: x\r\nX-User-Id: u\r\nContent-Type: application/json\r\n"
                + "Content-Length: " + body.length() + "\r\n\r\n" + body
                + (view + "\r\n").repeat(PIPELINED - 1) + view + "Connection: close\r\n\r\n");
        assertThat(answers.split("HTTP/1.1 201", -1)).hasSize(2);
        assertThat(answers.split("HTTP/1.1 200", -1)).hasSize(PIPELINED + 1);
    }

    @Test
    @Order(1)
    @DisplayName("Clients that disconnect before their bodies are complete cause one line a minute")
    void abortedBodiesAreCountedInOneLine() throws IOException {
        for (int i = 0; i < BODIES; i++) {
            begin("user-" + i).close();
        }
        Await.until("it is logged", LIMIT, () -> logLines() > 0, pod::log);
        status(404, pod.api().get("/v1/sales/" + fresh("none")));
        assertThat(logLines()).isEqualTo(1);
        assertThat(pod.log()).doesNotContain("ERROR", "Exception");
    }

    @Test
    @DisplayName("A pod does not limit how many bodies of an operator are in transit")
    void bodiesOfOperatorsInTransitAreNotLimited() throws IOException {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 2 * SHARE; i++) {
                sockets.add(begin("boss", "X-User-Roles: operator\r\n"));
            }
            for (Socket socket : sockets) {
                socket.setSoTimeout(100);
                assertThatThrownBy(() -> answer(socket))
                        .isInstanceOf(SocketTimeoutException.class);
            }
            for (Socket socket : sockets) {
                socket.setSoTimeout((int) LIMIT.toMillis());
                socket.getOutputStream().write("]}".getBytes(StandardCharsets.US_ASCII));
                assertThat(answer(socket)).isEqualTo("HTTP/1.1 404");
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    @DisplayName("A pod limits the bodies in transit of one buyer, and still takes those of others")
    void bodiesInTransitAreLimitedPerBuyer() throws IOException {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < SHARE; i++) {
                sockets.add(begin("greedy"));
                sockets.add(begin("user-" + i));
            }
            Await.until("one more is refused", LIMIT, () -> {
                try (Socket more = begin("greedy")) {
                    more.setSoTimeout(500);
                    assertThat(head(more)).startsWith("HTTP/1.1 429").contains(
                            "RateLimit-Policy: \"bodies\";q=3;qu=\"concurrent-requests\"");
                    return true;
                } catch (SocketTimeoutException e) {
                    return false;
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            // A body that arrives with its head is not in transit.
            assertThat(RawHttp.send(pod.baseUri(), purchase("greedy", "]}")).body())
                    .contains("unknown-sale");
            Socket waiting = sockets.get(1);
            waiting.getOutputStream().write("]}".getBytes(StandardCharsets.US_ASCII));
            assertThat(answer(waiting)).isEqualTo("HTTP/1.1 404");
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        Await.until("there is room again", LIMIT, () -> {
            try (Socket again = begin("greedy")) {
                again.setSoTimeout(200);
                return again.getInputStream().read() < 0;
            } catch (SocketTimeoutException e) {
                return true; // The pod waits for it.
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static Answer status(int status, Answer answer) {
        assertThat(answer.status()).as("%s", answer).isEqualTo(status);
        return answer;
    }

    /** Sends the head of a purchase and all of its body but two bytes. */
    private static Socket begin(String user, String... headers) throws IOException {
        Socket socket = new Socket(pod.baseUri().getHost(), pod.baseUri().getPort());
        socket.getOutputStream().write(
                purchase(user, "", headers).getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static String answer(Socket socket) throws IOException {
        return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
    }

    private static String head(Socket socket) throws IOException {
        StringBuilder head = new StringBuilder(answer(socket));
        InputStream in = socket.getInputStream();
        for (int next = in.read(); next >= 0 && head.indexOf("\r\n\r\n") < 0; next = in.read()) {
            head.append((char) next);
        }
        return head.toString();
    }

    /** A purchase whose body ends with {@code end}; one packet carries head and body. */
    private static String purchase(String user, String end, String... headers) {
        String body = "{\"items\":[{\"sku\":\"apple\"}";
        return "POST /v1/sales/none/purchases HTTP/1.1\r\nHost: x\r\nX-User-Id: " + user
                + "\r\n" + String.join("", headers)
                + "Content-Type: application/json\r\nContent-Length: " + (body.length() + 2)
                + "\r\n" + (end.isEmpty() ? "" : "Connection: close\r\n") + "\r\n" + body + end;
    }

    private static long logLines() {
        return pod.log().lines()
                .filter(line -> line.contains("disconnected before its request body")).count();
    }
}
