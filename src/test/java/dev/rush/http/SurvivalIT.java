package dev.rush.http;

import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Api;
import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import dev.rush.testing.Flood;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import dev.rush.testing.Tokens;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * X5: a pod with the heap and the buffers that an image gives it in 512 MiB outlives what one
 * client can send it, stays in these 512 MiB, and serves another buyer meanwhile. Each attack
 * killed such a pod once.
 */
class SurvivalIT {
    private static final Tokens TOKENS = new Tokens("key");
    private static final Duration END_LIMIT = Duration.ofMinutes(2);
    private static final int PART = 1 << 16;
    private static final int LIMIT_KIBIBYTES = 512 << 10;
    private static Pod pod;
    private static TestSale sale;
    private final List<SocketChannel> channels = new ArrayList<>();
    private Buyer buyer;

    /**
     * Buys again and again; each purchase has to succeed within the client's limit. A pause of
     * this machine may hide Redis's reply; then the buyer repeats the call, as the answer says.
     */
    private static final class Buyer extends Thread {
        private final List<String> wrong = new ArrayList<>();
        private final List<String> unknown = new ArrayList<>();
        private Duration worst = Duration.ZERO;
        private int bought;
        private volatile boolean leaving;

        @Override
        public void run() {
            while (!leaving || bought == 0) {
                Api api = as(TOKENS.token(fresh("buyer"))).key(fresh("key"));
                long before = System.nanoTime();
                try {
                    Api.Answer answer = api.post(sale.purchases(), TestSale.body("apple"));
                    if (answer.status() == 504) {
                        unknown.add(answer.toString());
                        answer = api.post(sale.purchases(), TestSale.body("apple"));
                    }
                    if (answer.status() != 201) {
                        wrong.add(answer.toString());
                    }
                } catch (UncheckedIOException e) {
                    wrong.add(e + " " + e.getCause());
                }
                bought++;
                Duration elapsed = Duration.ofNanos(System.nanoTime() - before);
                worst = elapsed.compareTo(worst) > 0 ? elapsed : worst;
                Await.sleep(20);
            }
        }

        void leave() throws InterruptedException {
            leaving = true;
            join();
            System.out.printf("another buyer: %d purchases, the longest %d ms%n", bought,
                    worst.toMillis());
            assertThat(wrong).isEmpty();
            assertThat(unknown).as("504 because this machine paused").hasSizeLessThan(3);
        }
    }

    @BeforeAll
    static void start() {
        pod = Environments.startPod("survival", Environments.single(), Map.of(
                "-XX:MaxHeapSize", "281m",
                "-XX:InitialHeapSize", "281m",
                Pod.NEW_RATIO, "1",
                "-XX:MaxDirectMemorySize", "64m",
                "io.netty.maxDirectMemory", "0",
                "rush.identity", "token",
                "rush.rate-limit.enabled", "false",
                "mp.jwt.verify.publickey", TOKENS.publicKey(),
                "mp.jwt.verify.issuer", Tokens.ISSUER,
                "mp.jwt.verify.audiences", "rush"));
        sale = TestSale.of(Environments.single(), "apple:1000000:0").through(pod.api());
    }

    @AfterAll
    static void stop() {
        pod.close();
    }

    @BeforeEach
    void anotherBuyerComes() {
        buyer = new Buyer();
        buyer.start();
    }

    @AfterEach
    void podServesAndLives() throws InterruptedException, IOException {
        buyer.leave();
        for (SocketChannel channel : channels) {
            channel.close();
        }
        assertThat(pod.alive()).isTrue();
        assertThat(peakKibibytes()).isLessThan(LIMIT_KIBIBYTES);
        assertThat(pod.log()).doesNotContain("OutOfMemoryError");
        assertThat(pod.log().lines().filter(line -> line.contains("\"level\":\"ERROR\"")))
                .isEmpty();
    }

    @Test
    @DisplayName("300 bodies without an end, from strangers and from a known user")
    void unfinishedBodies() {
        String known = "Authorization: Bearer " + TOKENS.token("known") + "\r\n";
        ByteBuffer part = ByteBuffer.wrap(" ".repeat(PART).getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < 300; i++) {
            send(connect(), "POST " + sale.purchases() + " HTTP/1.1\r\nHost: x\r\n"
                    + (i % 2 == 0 ? known : "") + "Content-Type: application/json\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\nfffff\r\n");
        }
        for (int sent = 0; sent + PART < 1 << 20; sent += PART) {
            channels.forEach(channel -> write(channel, part.duplicate()));
            Await.sleep(50);
        }
        awaitAllClosed();
        assertThat(pod.log().lines().filter(line -> line.contains("before its request body"))
                .count()).isLessThan(3);
    }

    @Test
    @DisplayName("30,000 spellings of one token")
    void spellingsOfOneToken() {
        String good = TOKENS.token("speller");
        int signature = good.lastIndexOf('.') + 1;
        String junk = "!".repeat(10_000);
        assertThat(as(good).get(sale.path() + "/orders").status()).isEqualTo(200);
        Map<Integer, Integer> answers = Flood.send(pod.baseUri(), 30_000, i ->
                "GET " + sale.path() + "/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                        + good.substring(0, signature) + junk.substring(i % 100)
                        + good.charAt(signature) + junk.substring(0, i / 100)
                        + good.substring(signature + 1) + "\r\n\r\n");
        assertThat(answers).isEqualTo(Map.of(401, 30_000));
    }

    @Test
    @DisplayName("50,000 invented methods, and as many paths, leave the metrics as they are")
    void inventedMethods() {
        Flood.send(pod.baseUri(), 10, SurvivalIT::invented);
        long before = pod.metrics().lines().count();
        Map<Integer, Integer> answers =
                Flood.send(pod.baseUri(), 50_000, SurvivalIT::invented);
        assertThat(answers.values().stream().mapToInt(Integer::intValue).sum())
                .isEqualTo(50_000);
        assertThat(answers.keySet()).allMatch(status -> status == 404 || status == 405);
        assertThat(pod.metrics().lines().count()).isLessThan(before + 20);
    }

    @Test
    @DisplayName("2,000 heads that arrive byte by byte are cut off")
    void drippingHeads() {
        for (int i = 0; i < 2_000; i++) {
            send(connect(), "GET " + sale.path() + " HTTP/1.1\r\nHost: x\r\n");
        }
        awaitAllClosed();
    }

    @Test
    @DisplayName("Neither unread answers nor requests behind them pile up")
    void unreadAnswers() {
        SocketChannel channel = connect();
        ByteBuffer many = ByteBuffer.wrap("GET /q/openapi HTTP/1.1\r\nHost: x\r\n\r\n"
                .repeat(2_000).getBytes(StandardCharsets.US_ASCII));
        Await.until("the connection is cut off", END_LIMIT, () -> {
            ByteBuffer next = many.duplicate();
            return IntStream.range(0, 50).anyMatch(i -> !write(channel, next));
        });
    }

    private static String invented(int number) {
        return "M" + number + " /v1/sales/s" + number + (number % 2 == 0 ? "" : "/x/y")
                + " HTTP/1.1\r\nHost: x\r\n\r\n";
    }

    private static Api as(String token) {
        return sale.api().with("Authorization", "Bearer " + token);
    }

    private SocketChannel connect() {
        try {
            SocketChannel channel = SocketChannel.open(new InetSocketAddress(
                    pod.baseUri().getHost(), pod.baseUri().getPort()));
            channel.configureBlocking(false);
            channels.add(channel);
            return channel;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The pod's peak resident memory, including mapped files. */
    private static int peakKibibytes() throws IOException {
        String peak = Files.readString(Path.of("/proc/" + pod.pid() + "/status")).lines()
                .filter(line -> line.startsWith("VmHWM:")).findFirst().orElseThrow();
        System.out.println("memory of the pod so far: " + peak);
        return Integer.parseInt(peak.replaceAll("\\D", ""));
    }

    private static void send(SocketChannel channel, String text) {
        write(channel, ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
    }

    /** Writes what the connection accepts now. Returns false if it has ended. */
    private static boolean write(SocketChannel channel, ByteBuffer bytes) {
        try {
            channel.write(bytes);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Sends each connection another byte now and then until the pod has ended all of them. */
    private void awaitAllClosed() {
        List<SocketChannel> open = new ArrayList<>(channels);
        Await.until("all connections are closed", END_LIMIT, () -> {
            open.removeIf(channel -> isEnded(channel)
                    || !write(channel, ByteBuffer.wrap(new byte[] {'x'})));
            Await.sleep(500);
            return open.isEmpty();
        }, () -> open.size() + " are open");
    }

    private static boolean isEnded(SocketChannel channel) {
        try {
            ByteBuffer answer = ByteBuffer.allocate(4096);
            int read = channel.read(answer);
            while (read > 0) {
                answer.clear();
                read = channel.read(answer);
            }
            return read < 0;
        } catch (IOException e) {
            return true;
        }
    }
}
