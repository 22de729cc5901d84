package dev.rush.dev;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/**
 * The workload of a {@link Training}: a little of everything that the service does in production.
 */
final class TrainingWorkload {
    private static final int ROUNDS = 20;
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final long PAUSE_MS = 50;
    private static final String SALE = "/v1/sales/training";
    private static final String RAIN = "/v1/rains/training";
    private static final String PURCHASE = "{\"items\":[{\"sku\":\"unit\",\"quantity\":1}]}";

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String service;
    private final String management;

    TrainingWorkload(int port, int managementPort) {
        service = "http://127.0.0.1:" + port;
        management = "http://127.0.0.1:" + managementPort;
    }

    /** Waits until the service is ready, and returns when the ledger has all orders. */
    void run() throws IOException, InterruptedException {
        await(HttpRequest.newBuilder(URI.create(management + "/q/health/ready")), "\"UP\"");
        prepare(SALE, "{\"items\":[{\"sku\":\"unit\",\"total\":1000,\"limitPerUser\":1}]}");
        prepare(RAIN, "{\"envelopes\":{\"total\":100000,\"count\":1000,\"split\":\"double-mean\","
                + "\"seed\":1}}");
        for (int round = 0; round < ROUNDS; round++) {
            String user = "trainee-" + round;
            String order = answer(201, as(user, SALE + "/purchases").POST(
                    BodyPublishers.ofString(PURCHASE))).headers()
                    .firstValue("Location").orElseThrow();
            answer(201, as(user, RAIN + "/grabs").POST(BodyPublishers.noBody()));
            answer(200, as(user, SALE));
            answer(200, HttpRequest.newBuilder(URI.create(management + "/q/metrics")));
            await(as(user, order), "\"confirmed\"");
        }
    }

    private void prepare(String path, String definition) throws IOException, InterruptedException {
        answer(201, as("trainer", path).header("X-User-Roles", "operator")
                .PUT(BodyPublishers.ofString(definition)));
    }

    private HttpRequest.Builder as(String user, String path) {
        return HttpRequest.newBuilder(URI.create(service + path)).header("X-User-Id", user)
                .header("Content-Type", "application/json");
    }

    private HttpResponse<String> answer(int status, HttpRequest.Builder request)
            throws IOException, InterruptedException {
        HttpResponse<String> answer =
                client.send(request.timeout(LIMIT).build(), BodyHandlers.ofString());
        if (answer.statusCode() != status) {
            throw new IllegalStateException(answer + " " + answer.body());
        }
        return answer;
    }

    private void await(HttpRequest.Builder request, String word) throws InterruptedException {
        long began = System.nanoTime();
        while (!answered(request, word)) {
            if (System.nanoTime() - began > LIMIT.toNanos()) {
                throw new IllegalStateException(
                        "no " + word + " from " + request.build().uri());
            }
            Thread.sleep(PAUSE_MS);
        }
    }

    private boolean answered(HttpRequest.Builder request, String word)
            throws InterruptedException {
        try {
            return answer(200, request).body().contains(word);
        } catch (IOException | IllegalStateException e) {
            // It does not listen yet, or is not ready.
            return false;
        }
    }
}
