package dev.rush.http;

import static dev.rush.testing.Answers.is;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.bench.wire.HttpAnswer;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DrainIT {
    private static final int ANSWER_LIMIT_MS = 10_000;
    private static final int REQUESTS_MAX = 1_000_000;

    @Test
    @DisplayName("X2, X3: a stopping pod closes keep-alive connections without losing a request")
    void connectionsAreSentElsewhereBeforeTheEnd() throws Exception {
        Environment environment = Environments.single();
        try (Pod pod = Environments.startPod(
                "drain", environment, Map.of("quarkus.shutdown.delay", "30s"));
                Socket socket = new Socket()) {
            TestSale sale = TestSale.unknown(environment, pod.api());
            sale.prepare("apple:5:5", "");
            socket.setSoTimeout(ANSWER_LIMIT_MS);
            socket.connect(new InetSocketAddress("127.0.0.1", pod.baseUri().getPort()));
            byte[] read = ("GET " + sale.path() + " HTTP/1.1\r\nHost: rush.example\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII);
            assertThat(ask(socket, read).closes()).isFalse();

            ProcessHandle.of(pod.pid()).orElseThrow().destroy();
            HttpAnswer answer;
            int requests = 0;
            do {
                answer = ask(socket, read);
                assertThat(answer.status()).as("after %d requests", requests).isEqualTo(200);
            } while (!answer.closes() && ++requests < REQUESTS_MAX);

            assertThat(answer.closes()).isTrue();
            // A client that connects meanwhile is served, and asked to reconnect, too.
            is(201, sale.buy("ada", "apple"));
            assertThat(pod.ready()).isFalse();
        }
    }

    private static HttpAnswer ask(Socket socket, byte[] request) throws IOException {
        socket.getOutputStream().write(request);
        return HttpAnswer.read(socket.getInputStream());
    }
}
