package dev.rush.rain;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Environment;
import dev.rush.testing.Resp;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** One rain as a suite sees it: through the service, and what lies in Redis behind it. */
final class TestRain {

    private static final Partitions PARTITIONS = new Partitions(64);

    private final Environment environment;
    private final Api api;
    private final String id;

    TestRain(Environment environment, Api api, String id) {
        this.environment = environment;
        this.api = api;
        this.id = id;
    }

    /** A rain of a new id, not prepared yet. */
    static TestRain named(Environment environment, String purpose) {
        return new TestRain(environment, environment.api(),
                purpose + "-" + UUID.randomUUID().toString().substring(0, 8));
    }

    /** A rain of a new id with these amounts, open now. */
    static TestRain of(Environment environment, String purpose, int limit, long... amounts) {
        TestRain rain = named(environment, purpose);
        List<String> texts = new ArrayList<>();
        for (long amount : amounts) {
            texts.add(Long.toString(amount));
        }
        Answer answer = rain.prepare("{\"limitPerUser\":" + limit + ",\"envelopes\":{\"amounts\":["
                + String.join(",", texts) + "]}}");
        if (answer.status() != 201) {
            throw new AssertionError(answer.toString());
        }
        return rain;
    }

    String id() {
        return id;
    }

    String path(String rest) {
        return "/v1/rains/" + id + rest;
    }

    /** The same rain through another pod. */
    TestRain through(Api other) {
        return new TestRain(environment, other, id);
    }

    Answer prepare(String json) {
        return api.asOperator().put(path(""), json);
    }

    Answer grab(String user) {
        return api.as(user).post(path("/grabs"));
    }

    Answer grab(String user, String key) {
        return api.as(user).key(key).post(path("/grabs"));
    }

    CompletableFuture<Answer> grabAsync(String user) {
        return api.as(user).postAsync(path("/grabs"), null);
    }

    Answer grabs(String user) {
        return api.as(user).get(path("/grabs"));
    }

    Answer view() {
        return api.get(path(""));
    }

    Answer steer(String action) {
        return api.asOperator().post(path("/" + action));
    }

    /** The leaderboard, each entry as {@code user-nth amount}, or {@code user grabs amount}. */
    List<String> board(String query) {
        Answer answer = api.get(path("/leaderboard" + query));
        List<String> entries = new ArrayList<>();
        for (JsonNode entry : answer.body().path("entries")) {
            if (entry.path("rank").asInt() != entries.size() + 1) {
                throw new AssertionError("ranks out of order: " + answer);
            }
            entries.add(entry.path("user").asText() + (entry.has("nth")
                    ? "-" + entry.path("nth").asInt() : " " + entry.path("grabs").asInt())
                    + " " + entry.path("amount").asLong());
        }
        return entries;
    }

    Partition partition() {
        return PARTITIONS.of(id);
    }

    String key(String part) {
        return RainScripts.key(partition(), id, part);
    }

    /** A connection to the node that holds this rain; the caller closes it. */
    Resp resp() {
        return environment.resp(key("conf"));
    }

    /** Redis's clock in milliseconds. */
    long now() {
        try (Resp resp = resp()) {
            List<?> time = resp.list("TIME");
            return Long.parseLong((String) time.get(0)) * 1000
                    + Long.parseLong((String) time.get(1)) / 1000;
        }
    }
}
