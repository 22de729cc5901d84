package dev.rush.testing;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.json;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.testing.Api.Answer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * A sale of one test's own: what buyers and operators do to it over HTTP, and what Redis has of
 * it behind the service's back.
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

    /** A sale that nobody has prepared, spoken of through a pod of the caller's choice. */
    public static TestSale unknown(Environment environment, Api api) {
        return new TestSale(environment, api, fresh("sale"));
    }

    /** Prepares a sale of these items ({@code sku:total:limit,…}) with all else left out. */
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
        is(201, api.asOperator().put(path(), definition(items, more)));
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

    /** The same sale spoken of through another pod. */
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

    public Answer steer(String action) {
        return api.asOperator().post(path() + "/" + action);
    }

    public Answer total(String sku, long total) {
        return api.asOperator().patch(path() + "/items/" + sku, "{\"total\":" + total + "}");
    }

    public Answer view() {
        return api.get(path());
    }

    /** The name of one of the sale's keys in Redis. */
    public String key(String part) {
        return partition().key("sale:" + id + ":" + part);
    }

    public Partition partition() {
        return PARTITIONS.of(id);
    }

    /** Opens a connection to the node that holds the sale. */
    public Resp resp() {
        return environment.resp(key("conf"));
    }

    /** One command to the node that holds the sale. */
    public Object redis(String... words) {
        try (Resp resp = resp()) {
            return resp.command(words);
        }
    }

    /** A hash of the sale as Redis has it. */
    public Map<String, String> hash(String part) {
        List<?> flat = (List<?>) redis("HGETALL", key(part));
        Map<String, String> map = new TreeMap<>();
        for (int i = 0; i < flat.size(); i += 2) {
            map.put((String) flat.get(i), (String) flat.get(i + 1));
        }
        return map;
    }

    /** What is left of an item, in Redis. */
    public long left(String sku) {
        Map<String, String> stock = hash("stock");
        return Long.parseLong(stock.get(sku + ":total"))
                - Long.parseLong(stock.get(sku + ":ordered"));
    }

    /** How many orders Redis keeps of the sale. */
    public long orders() {
        return (Long) redis("HLEN", key("orders"));
    }
}
