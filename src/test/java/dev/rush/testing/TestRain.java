package dev.rush.testing;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.json;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.testing.Api.Answer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * A test's own rain: calls of players and operators over HTTP, and direct access to its data in
 * Redis.
 */
public final class TestRain {
    private static final Partitions PARTITIONS = new Partitions(64);

    private final Environment environment;
    private final Api api;
    private final String id;

    private TestRain(Environment environment, Api api, String id) {
        this.environment = environment;
        this.api = api;
        this.id = id;
    }

    /** A rain that nobody has prepared. */
    public static TestRain unknown(Environment environment) {
        return named(environment, TestSale.fresh("rain"));
    }

    /** A rain of this id that nobody has prepared. */
    public static TestRain named(Environment environment, String id) {
        return new TestRain(environment, environment.api(), id);
    }

    /** Prepares a rain of these amounts, open now. */
    public static TestRain of(Environment environment, int limit, long... amounts) {
        TestRain rain = unknown(environment);
        is(201, rain.prepare(listed("'limitPerUser':" + limit, amounts)));
        return rain;
    }

    /** The body of a preparation from amounts, with more fields; single quotes are allowed. */
    public static String listed(String more, long... amounts) {
        return "{" + more + (more.isEmpty() ? "" : ",") + "'envelopes':{'amounts':["
                + Arrays.stream(amounts).mapToObj(Long::toString).collect(Collectors.joining(","))
                + "]}}";
    }

    /** The body of a preparation by a split, with more fields of the envelopes. */
    public static String split(String split, long total, int count, String more) {
        return "{'envelopes':{'total':" + total + ",'count':" + count + ",'split':'" + split + "'"
                + (more.isEmpty() ? "" : ",") + more + "}}";
    }

    public String id() {
        return id;
    }

    public String path() {
        return "/v1/rains/" + id;
    }

    public Api api() {
        return api;
    }

    /** The same rain through another pod. */
    public TestRain through(Api other) {
        return new TestRain(environment, other, id);
    }

    /** Prepares it; single quotes are allowed in the body. */
    public Answer prepare(String body) {
        return api.asOperator().put(path(), json(body));
    }

    public CompletableFuture<Answer> prepareAsync(String body) {
        return api.asOperator().callAsync("PUT", path(), json(body));
    }

    public Answer grab(String user) {
        return api.as(user).post(path() + "/grabs");
    }

    public Answer grab(String user, String key) {
        return api.as(user).key(key).post(path() + "/grabs");
    }

    public CompletableFuture<Answer> grabAsync(String user) {
        return api.as(user).postAsync(path() + "/grabs", null);
    }

    /** Grabs, which must succeed. Returns the amount. */
    public long grabbed(String user) {
        return is(201, grab(user)).body().path("amount").asLong();
    }

    /** The caller's grabs. */
    public JsonNode grabs(String user) {
        return is(200, api.as(user).get(path() + "/grabs")).body().path("grabs");
    }

    public Answer view() {
        return api.get(path());
    }

    /** The state of the rain in its view. */
    public String state() {
        return view().body().path("state").asText();
    }

    public Answer control(String action) {
        return api.asOperator().post(path() + "/" + action);
    }

    public Answer leaderboard(String query) {
        return api.get(path() + "/leaderboard" + query);
    }

    /** The leaderboard, each entry as {@code user-nth amount}, or {@code user grabs amount}. */
    public List<String> board(String query) {
        Answer answer = is(200, leaderboard(query));
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

    /** The name of one of the rain's keys in Redis. */
    public String key(String part) {
        return partition().key("rain:" + id + ":" + part);
    }

    public Partition partition() {
        return PARTITIONS.of(id);
    }

    /** Opens a connection to the node that holds the rain. */
    public Resp resp() {
        return environment.resp(key("conf"));
    }

    /** Sends one command to the node that holds the rain. */
    public Object redis(String... words) {
        try (Resp resp = resp()) {
            return resp.command(words);
        }
    }

    /** The amounts that Redis still has, next one first. */
    public List<Long> left() {
        return ((List<?>) redis("LRANGE", key("envelopes"), "0", "-1")).stream()
                .filter(amount -> !amount.equals(""))
                .map(amount -> Long.parseLong((String) amount)).toList();
    }

    /** Redis's clock in milliseconds. */
    public long now() {
        List<?> time = (List<?>) redis("TIME");
        return Long.parseLong((String) time.get(0)) * 1000
                + Long.parseLong((String) time.get(1)) / 1000;
    }
}
