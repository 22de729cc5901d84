package dev.rush.redis;

import static dev.rush.redis.NextRelease.FIELDS_NEXT;
import static dev.rush.redis.NextRelease.FIELDS_PREVIOUS;
import static dev.rush.redis.NextRelease.NEXT;
import static dev.rush.redis.NextRelease.PREVIOUS;
import static dev.rush.testing.Answers.is;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Buyers.Purchase;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.OwnRedis;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * X7: Redis names the layout of its data, and pods that do not know it leave the data alone. Pods
 * of this release have N−1, those of a made-up {@link NextRelease} have N. N changes only the line
 * of an order in its buyer's record; stream entries, rains and the ledger stay the same.
 */
class LayoutIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Partitions PARTITIONS = new Partitions(64);
    private static final String SALE = "apple-day";
    private static final String OTHER = "pear-day";
    private static final Partition PARTITION = PARTITIONS.of(SALE);
    private static final int CROWD = 60;
    private static final String REFUSAL = "Redis holds data of";
    private static String nextRelease;
    private Environment environment;
    private OwnRedis redis;

    @BeforeAll
    static void build() {
        nextRelease = NextRelease.build();
    }

    private void begin(boolean clustered) {
        redis = OwnRedis.start(clustered);
        environment = redis.environment("layout");
    }

    @AfterEach
    void end() {
        redis.close();
    }

    @ParameterizedTest(name = "cluster: {0}")
    @ValueSource(booleans = {false, true})
    @DisplayName("X7: a rollout from N−1 to N under load loses nothing; replays answer the same")
    void podsOfTwoLayoutsSellSideBySideUntilRedisIsRaised(boolean clustered) {
        begin(clustered);
        try (Pod old = ready("layout-old", Map.of())) {
            prepare(old.api(), SALE);
            try (Buyers early = crowd("early-", old);
                    Pod next = next("layout-next", 0);
                    Buyers late = crowd("late-", next)) {
                Await.until("both sell", SOON,
                        () -> early.count(201) > CROWD && late.count(201) > CROWD);
                early.close();
                assertThat(fieldsOfLines()).as("the next release writes what the old one reads")
                        .containsExactly(FIELDS_PREVIOUS);
                old.terminate();

                try (Pod raising = next("layout-raising", NEXT)) {
                    awaitRaised();
                    long before = late.count(201);
                    Await.until("it still sells", SOON, () -> late.count(201) > before + CROWD);
                    assertThat(fieldsOfLines()).contains(FIELDS_PREVIOUS, FIELDS_NEXT);
                    Set<String> again = buyOnceMore(early, raising.api());
                    late.close();
                    assertThat(late.statuses().keySet()).as("unnoticed").containsExactly(201);
                    assertConsistent(raising.api(), early, late, again);
                    assertRefuses(pod(Map.of(), "layout-outdated"), "layout " + NEXT + " (");
                }
            }
        }
    }

    @Test
    @DisplayName("X7: a pod that runs while Redis is raised refuses everything and damages nothing")
    void podOfThePreviousLayoutRefusesOnceRedisIsRaised() {
        begin(true);
        try (Pod old = ready("layout-overtaken", Map.of())) {
            prepare(old.api(), SALE);
            try (Buyers early = crowd("early-", old)) {
                Await.until("it sells", SOON, () -> early.count(201) > CROWD);
                try (Pod next = next("layout-overtaking", NEXT);
                        Buyers late = crowd("late-", next)) {
                    Await.until("the old one refuses", SOON, () -> old.log().contains(REFUSAL));
                    early.close();
                    Await.until("the old one is not ready", SOON, () -> !old.ready());
                    assertThat(old.alive()).as(old.log()).isTrue();
                    assertThat(refusals(old)).as("one line for each tag").doesNotHaveDuplicates()
                            .allMatch(line -> line.contains("layout " + NEXT + " ("));
                    Await.until("the next one sells", SOON, () -> late.count(201) > CROWD);
                    late.close();
                    assertThat(early.statuses().keySet()).as("of the pod that refuses")
                            .isSubsetOf(201, 503);
                    assertConsistent(next.api(), early, late, Set.of());
                }
            }
        }
    }

    @Test
    @DisplayName("X7: data of an unknown layout, or of none, is refused tag by tag")
    void unknownLayoutIsRefusedForItsTagAlone() {
        begin(true);
        String key = PARTITION.key(Layout.NAME);
        try (Pod running = ready("layout-running", Map.of()); Resp resp = environment.resp(key)) {
            prepare(running.api(), SALE);
            prepare(running.api(), OTHER);
            is(201, buy(running.api(), SALE, "u", "k"));
            awaitStored(running.api());
            resp.command("SET", key, "97");
            assertThat(buy(running.api(), SALE, "u", "k").word()).as("even a replay is refused")
                    .isEqualTo("unavailable");
            awaitRefusals(running, 1, "layout 97 (" + key);
            awaitPolls(running);
            assertThat(refusals(running)).as("each is logged once").hasSize(2);
            is(201, buy(running.api(), OTHER, "u", "k"));
            assertThat(running.ready()).isTrue();
            assertRefuses(pod(Map.of(), "layout-unknown"), "layout 97 (");
            resp.command("DEL", key);
            awaitRefusals(running, 1, "no known layout (" + key);
            assertRefuses(pod(Map.of(), "layout-unversioned"), "no known layout");
            awaitPolls(running);
            assertThat(refusals(running)).hasSize(4);
            resp.command("SET", key, Integer.toString(PREVIOUS));
            Await.until("its tag is served again", SOON,
                    () -> buy(running.api(), SALE, "u", "k").status() == 201);
            assertThat(buy(running.api(), SALE, "u", "k").header("Idempotency-Replayed"))
                    .isEqualTo("true");
        }
    }

    /** Waits until the pod has polled all layouts, by changing that of a third tag. */
    private void awaitPolls(Pod pod) {
        String key = PARTITIONS.of("nobody-buys").key(Layout.NAME);
        try (Resp resp = environment.resp(key)) {
            long before = refusals(pod).stream().filter(line -> line.contains(key)).count();
            resp.command("SET", key, "96");
            awaitRefusals(pod, before + 1, "layout 96 (" + key);
            resp.command("SET", key, Integer.toString(PREVIOUS));
            Await.until("it is known again", SOON, () -> pod.log().lines().filter(line ->
                    line.contains("layout of " + key + " is known again")).count() == before + 1);
        }
    }

    private static void awaitRefusals(Pod pod, long count, String named) {
        Await.until(count + " of " + named, SOON, () -> refusals(pod).stream()
                .filter(line -> line.contains(named)).count() == count, pod::log);
    }

    private static List<String> refusals(Pod pod) {
        return pod.log().lines().filter(line -> line.contains(REFUSAL)).map(line ->
                line.substring(line.indexOf(REFUSAL))).toList();
    }

    @Test
    @DisplayName("X7: a Redis that is emptied during a rollout keeps the layout that all pods know")
    void emptiedRedisKeepsItsLayout() {
        begin(true);
        try (Pod old = ready("layout-before", Map.of()); Pod next = next("layout-remembers", 0)) {
            prepare(old.api(), SALE);
            try (Resp resp = environment.resp(PARTITION.key("orders"))) {
                resp.command("FLUSHALL");
                Await.until("the pod knows the sale", SOON, () ->
                        buy(next.api(), SALE, "u", "k").word().equals("not-loaded"));
                assertThat(resp.text("GET", PARTITION.key(Layout.NAME)))
                        .isEqualTo(Integer.toString(PREVIOUS));
            }
            assertThat(old.alive() && buy(old.api(), SALE, "u", "k").word().equals("not-loaded"))
                    .isTrue();
        }
    }

    /** Early users buy again under N, beside their line of N−1; both keys are replayed. */
    private Set<String> buyOnceMore(Buyers early, Api api) {
        Set<String> again = new HashSet<>();
        for (Purchase bought : early.with(201).stream().limit(20).toList()) {
            String key = "again-" + bought.key();
            again.add(is(201, buy(api, SALE, bought.user(), key)).body().path("order").asText());
            for (String each : List.of(bought.key(), key)) {
                assertThat(is(201, buy(api, SALE, bought.user(), each))
                        .header("Idempotency-Replayed")).isEqualTo("true");
            }
            assertThat(buy(api, SALE, bought.user(), bought.key()).body().path("order").asText())
                    .isEqualTo(bought.order());
        }
        return again;
    }

    private void assertConsistent(Api api, Buyers early, Buyers late, Set<String> others) {
        Set<String> orders = new HashSet<>(early.orders());
        orders.addAll(late.orders());
        orders.addAll(others);
        assertThat(orders).hasSize((int) (early.count(201) + late.count(201)) + others.size());
        for (Purchase bought : early.with(201)) {
            assertThat(buy(api, SALE, bought.user(), bought.key()).body().path("order").asText())
                    .as("the order of %s", bought).isEqualTo(bought.order());
        }
        awaitStored(api);
        Answer books = api.asOperator().get("/v1/sales/" + SALE + "/books");
        assertThat(books.body().path("verdict").asText()).as("%s", books).isEqualTo("balanced");
        assertThat(books.body().at("/items/0/confirmed").asLong()).as("%s", books)
                .isEqualTo(orders.size());
        assertThat(books.body().at("/items/0/deadLetters").asLong()).as("%s", books).isZero();
    }

    private static void awaitStored(Api api) {
        Await.until("the ledger has all orders", SOON, () -> {
            Answer books = api.asOperator().get("/v1/sales/" + SALE + "/books");
            return books.status() == 200 && books.body().at("/items/0/inStream").asLong() == 0
                    && books.body().at("/items/0/confirmed").asLong() > 0;
        }, () -> api.asOperator().get("/v1/sales/" + SALE + "/books").toString());
    }

    /** The numbers of fields in the orders' lines of all buyers' records. */
    private Set<Integer> fieldsOfLines() {
        String buyers = PARTITION.key("sale:" + SALE + ":buyers");
        Set<Integer> fields = new TreeSet<>();
        try (Resp resp = environment.resp(buyers)) {
            resp.list("HVALS", buyers).forEach(record -> ((String) record).lines()
                    .forEach(line -> fields.add(line.split(" ").length)));
        }
        return fields;
    }

    private static Buyers crowd(String name, Pod pod) {
        return new Buyers(pod.api(), SALE, 2, name, 50);
    }

    private void awaitRaised() {
        Await.until("every partition is raised", SOON, () -> PARTITIONS.all().stream()
                .map(partition -> partition.key(Layout.NAME)).allMatch(key -> {
                    try (Resp resp = environment.resp(key)) {
                        return Integer.toString(NEXT).equals(resp.text("GET", key));
                    }
                }));
    }

    private static void assertRefuses(Pod pod, String named) {
        try (pod) {
            assertThat(pod.awaitEnd()).as(pod.log()).isNotZero();
            assertThat(pod.log().lines().filter(line -> line.contains(REFUSAL)))
                    .as(pod.log()).singleElement().asString()
                    .contains("FATAL", "Redis holds data of " + named,
                            "this release knows layout " + PREVIOUS);
        }
    }

    private void prepare(Api api, String sale) {
        Await.until("the sale is prepared", SOON, () -> api.asOperator().put("/v1/sales/" + sale,
                "{\"items\":[{\"sku\":\"x\",\"total\":1000000,\"limitPerUser\":2}]}")
                .status() == 201);
    }

    private static Answer buy(Api api, String sale, String user, String key) {
        return api.as(user).key(key).post("/v1/sales/" + sale + "/purchases",
                "{\"items\":[{\"sku\":\"x\"}]}");
    }

    private Pod next(String name, int raiseTo) {
        return ready(name, Map.of(Pod.EXECUTABLE, nextRelease,
                "rush.redis.layout", Integer.toString(raiseTo)));
    }

    private Pod ready(String name, Map<String, String> settings) {
        Pod pod = pod(settings, name);
        pod.awaitReady();
        return pod;
    }

    private Pod pod(Map<String, String> settings, String name) {
        Map<String, String> config = new HashMap<>(Map.of("rush.orders.sink", "postgres",
                "rush.writer.lease", "PT1S", "rush.books.interval", "PT1S",
                "rush.redis.watch", "PT0.1S", "rush.rate-limit.enabled", "false"));
        config.putAll(settings);
        return Environments.launchPod(name + "-" + environment.clientType(), environment, config);
    }
}
