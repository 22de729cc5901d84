package dev.rush.bench.rush;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** The operator who prepares a rush and reads the books after it, identified by headers. */
public final class Operator {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1).connectTimeout(LIMIT).build();
    private final URI service;
    private final String host;

    /** Creates an operator of a service. */
    public Operator(URI service) {
        this(service, service.getAuthority());
    }

    /** Creates an operator of a service behind an ingress that routes by host name. */
    Operator(URI service, String host) {
        this.service = service;
        this.host = host;
    }

    /** Prepares a sale or rain, which must be new. */
    public void prepare(String path, String json) {
        HttpResponse<String> answer = send(request(path)
                .header("Content-Type", "application/json").PUT(BodyPublishers.ofString(json)));
        if (answer.statusCode() != 201) {
            throw new IllegalStateException("PUT " + path + " was answered "
                    + answer.statusCode() + " " + answer.body());
        }
    }

    /** Reads JSON; returns a missing node unless the status is 200. */
    public JsonNode read(String path) {
        HttpResponse<String> answer = send(request(path).GET());
        try {
            return answer.statusCode() == 200
                    ? JSON.readTree(answer.body()) : MissingNode.getInstance();
        } catch (IOException e) {
            throw new UncheckedIOException(path, e);
        }
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(service + path))
                .timeout(LIMIT)
                .header("X-User-Id", "rush-operator").header("X-User-Roles", "operator");
        if (!host.equals(service.getAuthority())) {
            // Requires jdk.httpclient.allowRestrictedHeaders=host.
            request.header("Host", host);
        }
        return request;
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException("no answer from " + service, e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
