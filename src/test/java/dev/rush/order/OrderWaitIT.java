package dev.rush.order;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** O6: a client can wait until an order is in the ledger instead of polling. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OrderWaitIT {
    /** Longer than a request waits. */
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static LedgerScene scene;
    /** The last test stops it. */
    private static Pod pod;

    @BeforeAll
    static void start() {
        scene = new LedgerScene("order-wait");
        pod = scene.pod("order-wait", "quarkus.shutdown.delay", "60s");
    }

    @AfterAll
    static void stop() {
        pod.close();
        scene.close();
    }

    private static TestSale sale(Pod pod) {
        scene.awaitLedger(pod);
        TestSale sale = TestSale.unknown(scene.environment(), pod.api());
        sale.prepare("apple:10:0", "");
        return sale;
    }

    private static String path(TestSale sale, String user) {
        return sale.path() + "/orders/" + sale.bought(user, "apple");
    }

    private static void awaitWaiting(Pod pod, int wanted) {
        Await.until(wanted + " wait", LIMIT,
                () -> pod.metric("rush_order_waits") == wanted);
    }

    private static String status(Answer answer) {
        return is(200, answer).body().path("status").asText();
    }

    @Test
    @DisplayName("O6: a request waits until the ledger has the order, or until its time is over")
    void waitsForTheLedger() throws Exception {
        TestSale sale = sale(pod);
        Api buyer = pod.api().as("711");
        CompletableFuture<Answer> waiting;
        String order;
        try (Connection held = scene.holdWriters(sale.id())) {
            order = path(sale, "711");
            waiting = buyer.getAsync(order + "?wait=30&history=true");
            awaitWaiting(pod, 1);
            assertThat(status(buyer.get(order + "?wait=1"))).isEqualTo("accepted");
            assertThat(status(buyer.get(order + "?wait=0"))).isEqualTo("accepted");
            assertThat(waiting).isNotDone();
            held.rollback();
        }
        Answer answer = waiting.join();
        assertThat(status(answer)).isEqualTo("confirmed");
        assertThat(answer.body().path("history")).hasSize(2);
        awaitWaiting(pod, 0);
        assertThat(status(buyer.get(order + "?wait=30"))).isEqualTo("confirmed");
        refused(pod.api().as("712").get(order + "?wait=30"), "unknown-order");
        for (String wait : new String[] {"31", "-1", "x", "1.5"}) {
            refused(buyer.get(order + "?wait=" + wait), "invalid-request");
        }
    }

    @Test
    @DisplayName("X5: waiting requests are limited per user and in total; a client that leaves "
            + "frees a place")
    void placesAreBounded() throws Exception {
        try (Pod pod = scene.pod("order-wait-bounds", "rush.waits.requests", "2",
                "rush.waits.per-user", "1")) {
            TestSale sale = sale(pod);
            try (Connection held = scene.holdWriters(sale.id())) {
                String first = path(sale, "711");
                String second = path(sale, "712");
                String third = path(sale, "713");
                CompletableFuture<Answer> waiting =
                        pod.api().as("711").getAsync(first + "?wait=30");
                awaitWaiting(pod, 1);
                refused(pod.api().as("711").get(first + "?wait=30"), "rate-limited");
                try (Socket leaving = waiting(pod, "712", second)) {
                    awaitWaiting(pod, 2);
                    refused(pod.api().as("713").get(third + "?wait=30"), "unavailable");
                    refused(pod.api().asOperator().get(third + "?wait=30"), "unavailable");
                    assertThat(status(pod.api().as("713").get(third))).isEqualTo("accepted");
                }
                awaitWaiting(pod, 1);
                CompletableFuture<Answer> next =
                        pod.api().as("713").getAsync(third + "?wait=30");
                awaitWaiting(pod, 2);
                held.rollback();
                assertThat(status(waiting.join())).isEqualTo("confirmed");
                assertThat(status(next.join())).isEqualTo("confirmed");
            }
            awaitWaiting(pod, 0);
        }
    }

    /** A client that waits until the socket is closed. */
    private static Socket waiting(Pod pod, String user, String order) throws IOException {
        Socket socket = new Socket("127.0.0.1", pod.baseUri().getPort());
        socket.getOutputStream().write(("GET " + order + "?wait=30 HTTP/1.1\r\nHost: rush.example"
                + "\r\nX-User-Id: " + user + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    @Test
    @Order(Integer.MAX_VALUE)
    @DisplayName("X2: a pod that is stopping answers waiting requests at once")
    void stoppingPodAnswersAtOnce() throws Exception {
        TestSale sale = sale(pod);
        try (Connection held = scene.holdWriters(sale.id())) {
            String order = path(sale, "711");
            CompletableFuture<Answer> waiting =
                    pod.api().as("711").getAsync(order + "?wait=30");
            awaitWaiting(pod, 1);
            ProcessHandle.of(pod.pid()).orElseThrow().destroy();
            Answer answer = waiting.join();
            assertThat(status(answer)).isEqualTo("accepted");
            Await.until("later requests are answered at once, too", LIMIT, () -> {
                Answer later = pod.api().as("711").get(order + "?wait=30");
                return "close".equals(later.header("Connection"))
                        && status(later).equals("accepted");
            });
            assertThat(pod.alive()).isTrue();
            held.rollback();
        }
    }
}
