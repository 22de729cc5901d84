package dev.rush.reconciliation;

import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.order.LedgerPods;
import dev.rush.redis.Partitions;
import dev.rush.redis.Script;
import dev.rush.redis.Shards;
import dev.rush.testing.Api.Answer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A sale of apples in three shards: its books, and the counters of each shard. */
record ShardedSale(LedgerPods pods, String id) {

    private static final Partitions PARTITIONS = new Partitions(64);
    private static final String TRANSFER = "a-transfer";

    static ShardedSale prepare(LedgerPods pods, int total, int limit, String more) {
        return new ShardedSale(pods, pods.prepare("\"items\":[{\"sku\":\"apple\",\"total\":"
                + total + ",\"limitPerUser\":" + limit + "}],\"shards\":3" + more));
    }

    Shards shards() {
        return PARTITIONS.shards(id, 3);
    }

    String path() {
        return "/v1/sales/" + id;
    }

    /** A user whose home is this shard. */
    String userOf(int shard) {
        String user;
        do {
            user = fresh("user");
        } while (shards().home(user) != shard);
        return user;
    }

    Answer buy(String user, String key, int quantity) {
        return pods.buy(id, user, key, quantity);
    }

    String key(int shard, String part) {
        return shards().get(shard).key("sale:" + id + ":" + part);
    }

    /** Changes a counter of one shard behind the service's back. */
    void change(int shard, String counter, int units) {
        pods.redis("HINCRBY", key(shard, "stock"), counter, Integer.toString(units));
    }

    /** A counter of all shards together. */
    long sum(String counter) {
        long sum = 0;
        for (int shard = 0; shard < 3; shard++) {
            Object value = pods.redis("HGET", key(shard, "stock"), counter);
            sum += value == null ? 0 : Long.parseLong((String) value);
        }
        return sum;
    }

    JsonNode item() {
        return pods.books(id).body().at("/items/0");
    }

    String verdict() {
        return pods.books(id).body().path("verdict").asText();
    }

    /** Repairs; afterwards the books must balance. Returns the counts by action. */
    Map<String, Long> repair() {
        Answer repaired = pods.api().asOperator().post(path() + "/books/repair");
        Map<String, Long> actions = new LinkedHashMap<>();
        repaired.body().path("actions").forEach(action ->
                actions.put(action.path("action").asText(), action.path("count").asLong()));
        assertThat(repaired.body().at("/books/verdict").asText()).as("%s", repaired)
                .isEqualTo("balanced");
        return actions;
    }

    /** Takes units for a transfer and gives them to nobody. Returns generation and units. */
    String[] take(int source, int destination, int min) {
        String taken = run("sale/take", source, "transfers", TRANSFER,
                Integer.toString(destination), "apple", Integer.toString(min), "transfer " + id);
        String[] words = taken.substring("taken ".length()).split(" ");
        // Taken far in the future, so that no pod finishes it in the background.
        pods.redis("HSET", key(source, "transfers"), TRANSFER, String.join(" ", words[0],
                Integer.toString(destination), "apple", words[1], "9999999999"));
        return words;
    }

    /** Gives the units that {@link #take} took. */
    String give(int destination, String[] taken) {
        return run("sale/give", destination, "received", TRANSFER, taken[0], "apple", taken[1]);
    }

    private String run(String script, int shard, String third, String... args) {
        List<String> words = new ArrayList<>(List.of("EVAL", Script.load(script).text(), "4",
                key(shard, "conf"), key(shard, "stock"), key(shard, third),
                shards().get(shard).key("unfinished")));
        words.addAll(List.of(args));
        return (String) pods.redis(words.toArray(String[]::new));
    }
}
