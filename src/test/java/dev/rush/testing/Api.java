package dev.rush.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.IntFunction;

/**
 * The service as its clients see it. Immutable: {@code as}, {@code asOperator} and {@code with}
 * return a new one. It never retries, and every status is an answer.
 */
public final class Api {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(20));
    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1).connectTimeout(LIMIT).build();

    private final URI base;
    private final Map<String, String> headers;

    /** A client without identity. */
    public Api(URI base) {
        this(base, Map.of());
    }

    private Api(URI base, Map<String, String> headers) {
        this.base = base;
        this.headers = headers;
    }

    /**
     * An answer of the service.
     *
     * @param body a missing node if empty, a text node if it is not JSON
     */
    public record Answer(int status, HttpHeaders headers, JsonNode body) {
        /** Returns the word of a problem, for example {@code sold-out}; empty for other answers. */
        public String word() {
            String type = body.path("type").asText("");
            return type.substring(type.lastIndexOf('/') + 1);
        }

        /** Returns a header's first value, or null. */
        public String header(String name) {
            return headers.firstValue(name).orElse(null);
        }

        /** Returns status and body, as evidence. */
        @Override
        public String toString() {
            return status + " " + body;
        }
    }

    /** The same client for a user. */
    public Api as(String user) {
        return with("X-User-Id", user);
    }

    /** The same client for an operator named {@code operator}. */
    public Api asOperator() {
        return as("operator").with("X-User-Roles", "operator");
    }

    /** The same client with an idempotency key. */
    public Api key(String key) {
        return with("Idempotency-Key", key);
    }

    /** The same client with a header added or replaced. */
    public Api with(String header, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(header, value);
        return new Api(base, more);
    }

    public Answer get(String path) {
        return call("GET", path, null);
    }

    public Answer delete(String path) {
        return call("DELETE", path, null);
    }

    public Answer put(String path, String json) {
        return call("PUT", path, json);
    }

    public Answer patch(String path, String json) {
        return call("PATCH", path, json);
    }

    /** Posts no body. */
    public Answer post(String path) {
        return call("POST", path, null);
    }

    public Answer post(String path, String json) {
        return call("POST", path, json);
    }

    /** Gets without waiting. */
    public CompletableFuture<Answer> getAsync(String path) {
        return callAsync("GET", path, null);
    }

    /** Posts without waiting; json may be null. */
    public CompletableFuture<Answer> postAsync(String path, String json) {
        return callAsync("POST", path, json);
    }

    /**
     * Calls and waits for the answer; json may be null.
     *
     * @throws UncheckedIOException if no answer comes in time or the connection fails
     */
    public Answer call(String method, String path, String json) {
        try {
            return answer(CLIENT.send(request(method, path, json), BodyHandlers.ofString()));
        } catch (IOException e) {
            throw new UncheckedIOException(method + " " + path, e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Calls without waiting; json may be null. A failed connection fails the future. */
    public CompletableFuture<Answer> callAsync(String method, String path, String json) {
        return CLIENT.sendAsync(request(method, path, json), BodyHandlers.ofString())
                .thenApply(Api::answer);
    }

    /**
     * Sends a crowd's calls and returns their answers in the order of the calls.
     *
     * @param calls number of calls
     * @param concurrency maximum calls in flight, and so the number of connections
     * @param call starts the call with this number, from 0
     */
    public static List<Answer> rush(
            int calls, int concurrency, IntFunction<CompletableFuture<Answer>> call) {
        Semaphore free = new Semaphore(concurrency);
        List<CompletableFuture<Answer>> answers = new ArrayList<>(calls);
        for (int i = 0; i < calls; i++) {
            free.acquireUninterruptibly();
            answers.add(call.apply(i).whenComplete((answer, failure) -> free.release()));
        }
        return answers.stream().map(CompletableFuture::join).toList();
    }

    private HttpRequest request(String method, String path, String json) {
        BodyPublisher body =
                json == null ? BodyPublishers.noBody() : BodyPublishers.ofString(json);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(base + path)).timeout(LIMIT).method(method, body);
        if (json != null) {
            request.setHeader("Content-Type", "application/json");
        }
        headers.forEach(request::setHeader);
        return request.build();
    }

    private static Answer answer(HttpResponse<String> response) {
        return new Answer(response.statusCode(), response.headers(), parse(response.body()));
    }

    private static JsonNode parse(String body) {
        if (body.isEmpty()) {
            return MissingNode.getInstance();
        }
        try {
            return JSON.readTree(body);
        } catch (JsonProcessingException e) {
            return TextNode.valueOf(body);
        }
    }
}
