package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** X3: with tracing enabled, each call's trace reaches an OTLP collector. */
class TracesIT {

    @Test
    void aPurchaseIsTracedToTheConfiguredCollector() throws IOException {
        Queue<String> received = new ConcurrentLinkedQueue<>();
        HttpServer collector = HttpServer.create(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            received.add(new String(body, StandardCharsets.ISO_8859_1));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        collector.start();
        try (Pod pod = Environments.startPod("traces", Environments.single(), Map.of(
                "quarkus.otel.sdk.disabled", "false",
                "quarkus.otel.exporter.otlp.compression", "none",
                "quarkus.otel.exporter.otlp.endpoint",
                "http://127.0.0.1:" + collector.getAddress().getPort()))) {
            pod.api().as("u").post("/v1/sales/no-such-sale/purchases",
                    "{\"items\":[{\"sku\":\"x\"}]}");
            Await.until("the trace arrives", Duration.ofSeconds(30), () -> received.stream()
                    .anyMatch(span -> span.contains("POST /v1/sales/{sale}/purchases")));
        } finally {
            collector.stop(0);
        }
        assertThat(received).isNotEmpty();
    }
}
