package dev.rush.testing;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.Shards;
import dev.rush.testing.Api.Answer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * A test's own sale: calls of buyers and operators over HTTP, and direct access to its data in
 * Redis.
 */
public final class TestSale {
    private static final Partitions PARTITIONS = new Partitions(64);
    private static final String RUN = Long.toString(System.currentTimeMillis(), 36);
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final Environment environment;
    private final Api api;
    private final String id;

    private TestSale(Environment environment, Api api, String id) {
        this.environment = environment;
        this.api = api;
        this.id = id;
    }

    /** A sale that nobody has prepared. */
    public static TestSale unknown(Environment environment) {
        return unknown(environment, environment.api());
    }

    /** A sale that nobody has prepared, through a pod of the caller's choice. */
    public static TestSale unknown(Environment environment, Api api) {
        return new TestSale(environment, api, fresh("sale"));
    }

    /** Prepares a sale of these items ({@code sku:total:limit,…}) with defaults otherwise. */
    public static TestSale of(Environment environment, String items) {
        return of(environment, items, "");
    }

    /** As above, with more fields ({@code 'duplicateGuard':'user'}). */
    public static TestSale of(Environment environment, String items, String more) {
        TestSale sale = unknown(environment);
        sale.prepare(items, more);
        return sale;
    }

    /** A text that no other test uses: a sale's id, a user, a key. */
    public static String fresh(String kind) {
        return kind + "-" + RUN + "." + COUNT.incrementAndGet();
    }

    /** The body of a preparation; items are {@code sku:total:limit}. */
    public static String definition(String items, String more) {
        String list = Arrays.stream(items.split(",")).map(item -> {
            String[] part = item.split(":");
            return "{'sku':'%s','total':%s,'limitPerUser':%s}".formatted(
                    part[0], part[1], part[2]);
        }).collect(Collectors.joining(","));
        return json("{'items':[" + list + "]" + (more.isEmpty() ? "" : "," + more) + "}");
    }

    /** The body of a purchase of these lines: {@code apple:2,pear}. */
    public static String body(String lines) {
        return Arrays.stream(lines.split(",")).map(line -> {
            String[] part = line.split(":");
            return part.length == 1 ? json("{'sku':'" + part[0] + "'}")
                    : json("{'sku':'" + part[0] + "','quantity':" + part[1] + "}");
        }).collect(Collectors.joining(",", "{\"items\":[", "]}"));
    }

    /** Prepares it, which must create it. */
    public void prepare(String items, String more) {
        is(201, prepareAgain(items, more));
    }

    /** Prepares it, in the environment's number of shards. */
    public Answer prepareAgain(String items, String more) {
        return api.asOperator().put(path(), sharded(definition(items, more)));
    }

    /** A definition with the environment's number of shards. */
    public String sharded(String definition) {
        return environment.shards() == 1 ? definition
                : definition.substring(0, definition.length() - 1)
                + json(",'shards':" + environment.shards() + "}");
    }

    public String id() {
        return id;
    }

    public String path() {
        return "/v1/sales/" + id;
    }

    public String purchases() {
        return path() + "/purchases";
    }

    public Api api() {
        return api;
    }

    /** The same sale through another pod. */
    public TestSale through(Api other) {
        return new TestSale(environment, other, id);
    }

    /** Buys; lines are {@code apple:2,pear}. */
    public Answer buy(String user, String lines) {
        return api.as(user).post(purchases(), body(lines));
    }

    public Answer buy(String user, String lines, String key) {
        return api.as(user).key(key).post(purchases(), body(lines));
    }

    public CompletableFuture<Answer> buyAsync(String user, String lines) {
        return api.as(user).postAsync(purchases(), body(lines));
    }

    /** Buys, which must succeed. Returns the order's id. */
    public String bought(String user, String lines) {
        return is(201, buy(user, lines)).body().path("order").asText();
    }

    public Answer control(String action) {
        return api.asOperator().post(path() + "/" + action);
    }

    public Answer total(String sku, long total) {
        return api.asOperator().patch(path() + "/items/" + sku, "{\"total\":" + total + "}");
    }

    public Answer view() {
        return api.get(path());
    }

    /** The name of one of the sale's keys in Redis, in the first shard. */
    public String key(String part) {
        return key(partition(), part);
    }

    public String key(Partition shard, String part) {
        return shard.key("sale:" + id + ":" + part);
    }

    public Partition partition() {
        return PARTITIONS.of(id);
    }

    /** The sale's shards, in the environment's number. */
    public Shards shards() {
        return PARTITIONS.shards(id, environment.shards());
    }

    /** The name of a key in the home shard of a user. */
    public String keyOf(String user, String part) {
        return key(shards().of(user), part);
    }

    /** Opens a connection to the node that holds the sale, or its first shard. */
    public Resp resp() {
        return environment.resp(key("conf"));
    }

    /** Sends one command to the node that holds the sale, or its first shard. */
    public Object redis(String... words) {
        try (Resp resp = resp()) {
            return resp.command(words);
        }
    }

    /** Sends one command on one key to the node that holds it. */
    public Object onKey(String key, String command, String... more) {
        String[] words = new String[2 + more.length];
        words[0] = command;
        words[1] = key;
        System.arraycopy(more, 0, words, 2, more.length);
        try (Resp resp = environment.resp(key)) {
            return resp.command(words);
        }
    }

    /** Deletes a part of the sale in all shards. */
    public void delete(String part) {
        shards().partitions().forEach(shard -> onKey(key(shard, part), "DEL"));
    }

    /** Number of entries of a hash in all shards together, without the placeholders. */
    public long size(String part) {
        return shards().partitions().stream().map(shard -> key(shard, part)).mapToLong(key ->
                (Long) onKey(key, "HLEN") - (onKey(key, "HGET", "") == null ? 0 : 1)).sum();
    }

    /** A hash of one shard in Redis, without the placeholder. */
    public Map<String, String> hash(Partition shard, String part) {
        List<?> flat = (List<?>) onKey(key(shard, part), "HGETALL");
        Map<String, String> map = new TreeMap<>();
        for (int i = 0; i < flat.size(); i += 2) {
            map.put((String) flat.get(i), (String) flat.get(i + 1));
        }
        map.remove("");
        return map;
    }

    /**
     * A hash of the sale in Redis: the entries of all shards together, and their stock added up.
     */
    public Map<String, String> hash(String part) {
        if (part.equals("stock") && shards().isSplit()) {
            return stock();
        }
        Map<String, String> all = new TreeMap<>();
        shards().partitions().forEach(shard -> all.putAll(hash(shard, part)));
        return all;
    }

    private Map<String, String> stock() {
        Map<String, String> all = new TreeMap<>();
        Map<String, String> whole = new TreeMap<>();
        for (Partition shard : shards().partitions()) {
            Map<String, String> stock = hash(shard, "stock");
            stock.forEach((field, value) -> {
                if (field.endsWith(":total") || field.endsWith(":ordered")) {
                    all.merge(field, value, (one, other) -> Long.toString(
                            Long.parseLong(one) + Long.parseLong(other)));
                } else if (field.endsWith(":limit")) {
                    all.put(field, value);
                } else if (field.endsWith(":whole")) {
                    whole.put(field.replace(":whole", ":total"), value);
                }
            });
        }
        assertThat(all).as("totals of all shards").containsAllEntriesOf(whole);
        return all;
    }

    /** Units left of an item in Redis. */
    public long left(String sku) {
        Map<String, String> stock = hash("stock");
        return Long.parseLong(stock.get(sku + ":total"))
                - Long.parseLong(stock.get(sku + ":ordered"));
    }

    /** A user's orders in Redis, each as the words of its line in the record. */
    public List<List<String>> orders(String user) {
        String record = (String) onKey(keyOf(user, "buyers"), "HGET", user);
        return record == null ? List.of() : record.lines().filter(line -> !line.startsWith("t "))
                .map(line -> List.of(line.split(" "))).toList();
    }

    /** The number of orders of the sale in Redis. */
    public long orders() {
        return hash("buyers").values().stream().flatMap(String::lines)
                .filter(line -> !line.startsWith("t ")).count();
    }

    /** Units of an item that a user has according to Redis. */
    public long taken(String user, String sku) {
        return orders(user).stream().filter(order -> order.get(0).equals("a"))
                .flatMap(order -> Arrays.stream(order.get(4).split(",")))
                .filter(line -> line.startsWith(sku + ":"))
                .mapToLong(line -> Long.parseLong(line.substring(sku.length() + 1))).sum();
    }

    /** Refuses a key of a user without orders, as a return does that overtakes its purchase. */
    public void refuse(String user, String key) {
        onKey(keyOf(user, "buyers"), "HSET", user, "t " + key + "\n");
    }

    /**
     * Asserts the units left per line in the answer to a purchase. In a sale of several shards
     * these are the units of the buyer's shard, so at most the given ones.
     */
    public void assertLefts(Answer answer, long... lefts) {
        for (int i = 0; i < lefts.length; i++) {
            long left = answer.body().path("items").get(i).path("left").asLong(-1);
            if (shards().isSplit()) {
                assertThat(left).as("%s", answer).isBetween(0L, lefts[i]);
            } else {
                assertThat(left).as("%s", answer).isEqualTo(lefts[i]);
            }
        }
    }
}
