package dev.rush.dev;

import io.quarkus.arc.profile.IfBuildProfile;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/**
 * In dev mode, prepares sales and rains through the service's own HTTP interface, and logs how to
 * try them. Preparing again after a live reload changes nothing; each failure is one warning.
 */
@ApplicationScoped
@IfBuildProfile("dev")
public class Samples {
    private static final Logger LOG = Logger.getLogger(Samples.class);
    private static final int TRIES = 10;
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);
    private static final long PAUSE_MS = 500;

    private static final String SALE = """
            {
              "title": "Apple day",
              "items": [
                { "sku": "apple", "title": "Apple", "total": 100, "limitPerUser": 1 },
                { "sku": "pear", "title": "Pear", "total": 20, "limitPerUser": 2 }
              ]
            }
            """;
    private static final String RAIN = """
            {
              "title": "Quiz night",
              "envelopes": { "amounts": [9, 4, 5, 2, 7, 8, 6, 10, 3, 1] }
            }
            """;
    /** For the demo: opens a minute after the start and has a payment window. */
    private static final String LATER_SALE = """
            {
              "title": "Pear night",
              "opensAt": "%s",
              "paymentWindow": "PT5M",
              "items": [
                { "sku": "pear", "title": "Williams pear", "total": 60, "limitPerUser": 2 },
                { "sku": "quince", "title": "Quince", "total": 5, "limitPerUser": 1 }
              ]
            }
            """;
    private static final Duration UNTIL_LATER = Duration.ofMinutes(1);
    private static final String LARGE_RAIN = """
            {
              "title": "Confetti",
              "limitPerUser": 30,
              "envelopes": { "total": 60000, "count": 600, "split": "double-mean", "min": 1 }
            }
            """;
    private static final String TRY_SALE = """
            The sale apple-day is prepared. Try it:

              curl -i %1$s/v1/sales/apple-day
              curl -i %1$s/v1/sales/apple-day/purchases -H 'X-User-Id: 711' \\
                -H 'Content-Type: application/json' \\
                -d '{"items":[{"sku":"apple","quantity":1}]}'
            """;
    private static final String TRY_RAIN = """
            The rain 7758521 is prepared. Try it:

              curl -i %1$s/v1/rains/7758521/grabs -H 'X-User-Id: u1' -X POST
              curl -i %1$s/v1/rains/7758521/leaderboard
            """;

    private static final String BROWSER_HINT = """
            Look at it in a browser:

              %1$s/demo                      the sale apple-day
              %1$s/demo?sale=pear-night      a sale that opens a minute after the start
              %1$s/demo/rain?rain=confetti   a rain
              %1$s/console                   the operators' console
            """;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String service;
    /** With tokens, another client prepares sales, as examples/shop does. */
    private final boolean isWanted;

    Samples(@ConfigProperty(name = "quarkus.http.port") int port,
            @ConfigProperty(name = "rush.identity") String identity) {
        service = "http://localhost:" + port;
        isWanted = identity.equals("header");
    }

    /** The service listens only after this event, so another thread waits for it. */
    void prepare(@Observes StartupEvent started) {
        if (isWanted) {
            Thread thread = new Thread(this::prepareAll, "samples");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void prepareAll() {
        try {
            prepare("/v1/sales/apple-day", SALE, TRY_SALE);
            prepare("/v1/rains/7758521", RAIN, TRY_RAIN);
            prepare("/v1/sales/pear-night",
                    LATER_SALE.formatted(Instant.now().plus(UNTIL_LATER)), null);
            prepare("/v1/rains/confetti", LARGE_RAIN, null);
            LOG.infof(BROWSER_HINT, service);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void prepare(String path, String json, String hint) throws InterruptedException {
        try {
            if (put(path, json) && hint != null) {
                LOG.infof(hint, service);
            }
        } catch (IOException e) {
            LOG.warnf("A sample is not prepared: %s", e.getMessage());
        }
    }

    /** Returns whether the sample is new. */
    private boolean put(String path, String json) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(service + path))
                .timeout(REQUEST_TIMEOUT)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, application/problem+json")
                .header("X-User-Id", "dev")
                .header("X-User-Roles", "operator")
                .PUT(BodyPublishers.ofString(json))
                .build();
        String failure = "";
        for (int i = 0; i < TRIES; i++) {
            try {
                HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
                if (answer.statusCode() == 201 || answer.statusCode() == 200) {
                    return answer.statusCode() == 201;
                }
                if (answer.body().contains("-exists")) {
                    // After a live reload, the existing sale opens at another time.
                    return false;
                }
                failure = answer.statusCode() + " " + answer.body();
                if (answer.statusCode() != 503) {
                    break;
                }
            } catch (IOException e) {
                failure = e.toString();
            }
            // The service may not have reached Redis or PostgreSQL yet.
            Thread.sleep(PAUSE_MS);
        }
        throw new IOException("PUT " + path + ": " + failure.lines().findFirst().orElse(""));
    }
}
