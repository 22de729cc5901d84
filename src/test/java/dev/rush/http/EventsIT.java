package dev.rush.http;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.SilentViewers;
import dev.rush.testing.TestRain;
import dev.rush.testing.TestSale;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Server-sent events: one source for all viewers of a sale or rain on a pod. */
class EventsIT {
    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final int CROWD = 10_000;
    /** For a round of heartbeats to all; a timer per viewer would take several times as much. */
    private static final Duration IDLE_CPU_MAX = Duration.ofSeconds(6);
    private static final Environment ENVIRONMENT = Environments.single();
    /** It serves three streams, two of them to one address. */
    private static Pod bounded;

    @BeforeAll
    static void start() {
        bounded = Environments.startPod("events-bounded", ENVIRONMENT,
                Map.of("rush.events.streams", "3", "rush.events.streams-per-address", "2",
                        "rush.http.client-address-header", "X-Forwarded-For"));
    }

    @AfterAll
    static void stop() {
        bounded.close();
    }

    /** The lines of a stream, in order. */
    private static final class Lines implements AutoCloseable {
        final List<String> lines = new CopyOnWriteArrayList<>();
        private final HttpResponse<Stream<String>> response;

        Lines(URI events) throws IOException, InterruptedException {
            this(HttpRequest.newBuilder(events).build());
        }

        Lines(HttpRequest request) throws IOException, InterruptedException {
            response = HttpClient.newHttpClient().send(
                    request, HttpResponse.BodyHandlers.ofLines());
            Thread reader = new Thread(this::read);
            reader.setDaemon(true);
            reader.start();
        }

        private void read() {
            try {
                response.body().forEach(lines::add);
            } catch (UncheckedIOException | IllegalStateException e) {
                // The test has closed the stream.
            }
        }

        List<String> starting(String start) {
            return lines.stream().filter(line -> line.startsWith(start)).toList();
        }

        @Override
        public void close() {
            response.body().close();
        }
    }

    private static URI events(Pod pod, String path) {
        return URI.create(pod.baseUri() + path + "/events");
    }

    @Test
    @DisplayName("The first event is the current view; each has id, retry and the server's time")
    void eventsSayWhatTheContractSays() throws Exception {
        TestSale sale = TestSale.of(ENVIRONMENT, "apple:10:0");
        sale.bought(fresh("user"), "apple:3");
        Await.until("views show the purchase", LIMIT,
                () -> sale.view().body().at("/items/0/left").asLong() == 7);
        try (Lines stream = new Lines(events(ENVIRONMENT.pod(), sale.path()))) {
            Await.until("the first event", LIMIT, () -> stream.lines.contains(""));
            sale.bought(fresh("user"), "apple:2");
            Await.until("the change", LIMIT, () -> stream.starting("data: ").size() == 2);
            Await.until("a heartbeat", LIMIT, () -> stream.lines.contains(":"));

            assertThat(stream.response.statusCode()).isEqualTo(200);
            assertThat(stream.response.headers().firstValue("Content-Type").orElse(""))
                    .startsWith("text/event-stream");
            assertThat(stream.starting("retry: ")).containsOnly("retry: 2000").hasSize(2);
            assertThat(stream.starting("id: ")).doesNotHaveDuplicates().hasSize(2);
            long[] left = {7, 5};
            for (int i = 0; i < left.length; i++) {
                JsonNode data = new ObjectMapper().readTree(
                        stream.starting("data: ").get(i).substring(6));
                assertThat(data.at("/items/0/left").asLong()).isEqualTo(left[i]);
                assertThat(Instant.parse(data.path("serverTime").asText()))
                        .isAfterOrEqualTo(Instant.parse(data.path("asOf").asText()));
            }
        }
    }

    @Test
    @DisplayName("Ten thousand silent viewers see the current view and a change, and cost little")
    void aCrowdOfSilentViewersIsServed() {
        try (Pod pod = Environments.startPod("events-crowd", ENVIRONMENT,
                Map.of("rush.events.streams-per-address", Integer.toString(CROWD + 1),
                        "rush.deadline", "PT20S", "rush.redis.silence", "PT10S"))) {
            TestSale sale = TestSale.unknown(ENVIRONMENT, pod.api());
            sale.prepare("apple:10:0", "");
            try (SilentViewers crowd = SilentViewers.open(
                    pod.baseUri(), sale.path() + "/events", CROWD)) {
                Await.until("all see the current view", LIMIT, () -> crowd.withEvents(1) == CROWD,
                        () -> crowd.withEvents(1) + " do\n" + pod.log());
                assertThat(pod.metric("rush_events_streams")).isEqualTo(CROWD);
                refused(pod.api().get(sale.path() + "/events"), "unavailable");
                Duration before = pod.cpuTime();
                // The first came while others were still opening their streams.
                Await.until("all hear a second heartbeat", LIMIT,
                        () -> crowd.withHeartbeats(2) == CROWD,
                        () -> crowd.withHeartbeats(2) + " do\n" + pod.log());
                assertThat(pod.cpuTime().minus(before)).isLessThan(IDLE_CPU_MAX);
                is(201, sale.buy(fresh("user"), "apple"));
                Await.until("all see the change", LIMIT, () -> crowd.withEvents(2) == CROWD,
                        () -> crowd.withEvents(2) + " do\n" + pod.log());
                is(200, sale.view());
            }
            Await.until("all places are free again", LIMIT,
                    () -> pod.metric("rush_events_streams") == 0);
        }
    }

    @Test
    @DisplayName("X5: beyond rush.events.streams a stream is unavailable, until another has ended")
    void streamsBeyondTheirBoundAreUnavailable() throws Exception {
        awaitNoStreams();
        TestRain rain = TestRain.of(ENVIRONMENT, 3, 1, 2);
        String path = "/v1/rains/" + rain.id();
        try (SilentViewers viewers = SilentViewers.open(bounded.baseUri(), path + "/events", 2);
                Lines third = new Lines(from("192.0.2.7", path))) {
            Await.until("all see the rain", LIMIT, () -> viewers.withEvents(1) == 2
                    && !third.starting("data: ").isEmpty());
            try (Lines fourth = new Lines(from("192.0.2.8", path))) {
                assertThat(fourth.response.statusCode()).isEqualTo(503);
                assertThat(fourth.response.headers().firstValue("Retry-After").orElse(""))
                        .matches("[1-9]\\d*");
                Await.until("it says why", LIMIT, () -> fourth.lines.stream()
                        .anyMatch(line -> line.contains("/problems/unavailable")));
            }
        }
        awaitRoom(path);
    }

    private static void awaitNoStreams() {
        Await.until("no stream is open", LIMIT,
                () -> bounded.metric("rush_events_streams") == 0);
    }

    private static void awaitRoom(String path) {
        Await.until("there is room again", LIMIT, () -> {
            try (Lines stream = new Lines(events(bounded, path))) {
                return stream.response.statusCode() == 200;
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** The proxy has added the last address; the first is the client's claim. */
    private static HttpRequest from(String address, String path) {
        return HttpRequest.newBuilder(events(bounded, path))
                .header("X-Forwarded-For", "127.0.0.1, " + address).build();
    }

    @Test
    @DisplayName("X5: an address beyond its share of streams is rate-limited, and others are not")
    void oneAddressHasAShareOfTheStreams() throws Exception {
        awaitNoStreams();
        TestSale sale = TestSale.of(ENVIRONMENT, "apple:10:0");
        try (SilentViewers viewers = SilentViewers.open(
                bounded.baseUri(), sale.path() + "/events", 2)) {
            Await.until("both see the sale", LIMIT, () -> viewers.withEvents(1) == 2);
            try (Lines third = new Lines(events(bounded, sale.path()))) {
                assertThat(third.response.statusCode()).isEqualTo(429);
                assertThat(third.response.headers().firstValue("Retry-After")).isPresent();
                assertThat(third.response.headers().firstValue("RateLimit-Policy"))
                        .contains("\"streams\";q=2;qu=\"concurrent-requests\"");
                Await.until("it says why", LIMIT, () -> third.lines.stream()
                        .anyMatch(line -> line.contains("/problems/rate-limited")));
            }
            try (Lines stream = new Lines(from("192.0.2.7", sale.path()))) {
                assertThat(stream.response.statusCode()).isEqualTo(200);
            }
        }
        awaitRoom(sale.path());
    }

    @Test
    @DisplayName("X5: a stream ends with its connection, even if half a request followed")
    void aStreamEndsWithItsConnectionWhateverCameAfterIt() throws IOException {
        Pod pod = ENVIRONMENT.pod();
        TestSale sale = TestSale.of(ENVIRONMENT, "apple:10:0");
        String stream = "GET " + sale.path() + "/events HTTP/1.1\r\nHost: x\r\n\r\n";
        String post = "POST " + sale.purchases() + " HTTP/1.1\r\nHost: x\r\nX-User-Id: u\r\n"
                + "Content-Type: application/json\r\n";
        List<Socket> sockets = new CopyOnWriteArrayList<>();
        for (String next : List.of(post + "Content-Length: 100\r\n\r\n{",
                post + "Transfer-Encoding: chunked\r\n\r\nno-size\r\n",
                "GET / NO-VERSION\r\n\r\n")) {
            Socket socket = new Socket(pod.baseUri().getHost(), pod.baseUri().getPort());
            sockets.add(socket);
            socket.getOutputStream().write(stream.getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().read()).isEqualTo('H');
            socket.getOutputStream().write(next.getBytes(StandardCharsets.US_ASCII));
        }
        for (Socket socket : sockets) {
            socket.close();
        }
        Await.until("no stream is left", LIMIT,
                () -> pod.metric("rush_events_streams") == 0);
        assertThat(pod.log()).doesNotContain("NullPointerException");
    }

    @Test
    @DisplayName("X2: a stopping pod ends its streams first, and exits without an error")
    void streamsEndBeforeThePod() {
        try (Pod pod = Environments.startPod("events-drain", ENVIRONMENT, Map.of())) {
            TestSale sale = TestSale.unknown(ENVIRONMENT, pod.api());
            sale.prepare("apple:10:0", "");
            try (SilentViewers viewers = SilentViewers.open(
                    pod.baseUri(), sale.path() + "/events", 20)) {
                Await.until("all see the sale", LIMIT, () -> viewers.withEvents(1) == 20);
                assertThat(pod.terminate()).as("the exit code of SIGTERM").isEqualTo(143);
                Await.until("all streams have ended properly", LIMIT,
                        () -> viewers.ended() == 20, () -> viewers.ended() + " have");
            }
            assertThat(pod.log()).doesNotContain("ERROR", "Timed out waiting");
        }
    }
}
