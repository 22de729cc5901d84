package dev.rush.redis;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.json;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.RedisClusterNodes;
import dev.rush.testing.RedisNode;
import dev.rush.testing.TestRain;
import dev.rush.testing.TestSale;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * D1: purchases and grabs under {@code replicas} while replicas lag, hang, are gone or take over.
 */
class ReplicasClusterIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String REPLICATED = "'durability':'replicas'";
    private static RedisClusterNodes cluster;
    private static Environment environment;
    /** By default it answers after the script; one test waits for its deadline. */
    private static Pod pod;
    /** The same, with a longer deadline than any test takes. */
    private static Pod patient;
    /** By default it answers once replicas have the write. */
    private static Pod strict;

    @BeforeAll
    static void start() {
        cluster = RedisClusterNodes.start("--cluster-replica-validity-factor", "0");
        environment = Environments.on("replicas", cluster);
        List<Pod> pods = Environments.startTogether(
                () -> pod("replicas", Map.of("rush.deadline", "PT4S")),
                () -> pod("replicas-patient",
                        Map.of("rush.deadline", "PT30S", "rush.redis.silence", "PT10S")),
                () -> pod("replicas-strict", Map.of("rush.durability", "replicas")));
        pod = pods.get(0);
        patient = pods.get(1);
        strict = pods.get(2);
    }

    private static Pod pod(String name, Map<String, String> config) {
        Map<String, String> all = new HashMap<>(
                Map.of("rush.orders.sink", "none", "rush.rate-limit.enabled", "false"));
        all.putAll(config);
        return Environments.startPod(name, environment, all);
    }

    @AfterAll
    static void stop() {
        pod.close();
        patient.close();
        strict.close();
        cluster.nodes().forEach(node -> node.server().resume());
        cluster.close();
    }

    @BeforeEach
    void heal() {
        cluster.heal();
    }

    private static TestSale sale(Pod pod, String more) {
        TestSale sale = TestSale.unknown(environment, pod.api());
        // A pod may still be recovering from the last test's fault.
        Await.until("the sale is prepared", LIMIT, () -> List.of(200, 201)
                .contains(sale.prepareAgain("x:1000000:0", more).status()), pod::log);
        cluster.awaitReplicas();
        return sale;
    }

    private static RedisNode replicaOf(TestSale sale) {
        return cluster.replicasOf(sale.partition().slot()).get(0);
    }

    private static long ordered(TestSale sale) {
        return Long.parseLong(sale.hash("stock").get("x:ordered"));
    }

    /** Waits until every event loop sells, because each learns alone that replicas follow again. */
    private static void sells(TestSale sale) {
        Await.until("it sells", LIMIT, () -> Api.rush(32, 32,
                i -> sale.buyAsync(TestSale.fresh("u"), "x")).stream()
                .allMatch(answer -> answer.status() == 201));
    }

    @Test
    @DisplayName("An answer waits for a lagging replica")
    void answerWaitsForALaggingReplica() {
        TestSale sale = sale(patient, REPLICATED);
        sells(sale);
        long before = ordered(sale);
        RedisNode replica = replicaOf(sale);
        replica.server().pause();
        CompletableFuture<Answer> answer = sale.buyAsync("711", "x");
        Await.until("the script has run", LIMIT, () -> ordered(sale) == before + 1);
        assertThat(answer).isNotDone();
        replica.server().resume();
        is(201, answer.join());
    }

    @Test
    @DisplayName("A hanging replica: 504 with the key, then 503 before the script; redis sells")
    void hangingReplicaMakesTheOutcomeUnknown() {
        TestSale sale = sale(pod, REPLICATED);
        TestSale plain = null;
        while (plain == null || cluster.masterOf(plain.partition().slot())
                != cluster.masterOf(sale.partition().slot())) {
            plain = sale(pod, "'durability':'redis'");
        }
        sells(sale);
        sells(plain);
        RedisNode replica = replicaOf(sale);
        double shorts = pod.metric("rush_redis_wait_short_total");
        replica.server().pause();
        Answer unknown = refused(sale.buy("711", "x", "key-1"), "outcome-unknown");
        assertThat(unknown.body().path("idempotencyKey").asText()).isEqualTo("key-1");
        // Each event loop learns alone that the replica does not follow.
        Await.until("it is refused", LIMIT, () -> {
            long before = ordered(sale);
            return sale.buy("712", "x", "key-2").word().equals("unavailable")
                    && ordered(sale) == before;
        });
        long taken = ordered(sale);
        is(201, plain.buy("711", "x"));
        assertThat(pod.metric("rush_redis_wait_short_total")).isGreaterThan(shorts);

        replica.server().resume();
        Await.until("the same key decides", LIMIT,
                () -> sale.buy("711", "x", "key-1").status() == 201);
        Answer replayed = is(201, sale.buy("711", "x", "key-1"));
        assertThat(replayed.header("Idempotency-Replayed")).isEqualTo("true");
        is(201, sale.buy("712", "x", "key-2"));
        assertThat(ordered(sale)).isBetween(taken, taken + 1);
    }

    @Test
    @DisplayName("A replay waits for replicas, even if the purchase did not")
    void replayWaitsForReplicas() {
        TestSale sale = sale(pod, "");
        TestSale same = sale.through(strict.api());
        sells(sale);
        sells(same);
        RedisNode replica = replicaOf(sale);
        replica.server().pause();
        is(201, sale.buy("711", "x", "key-1"));
        assertThat(same.buy("711", "x", "key-1").status()).isIn(503, 504);
        assertThat(is(201, sale.buy("711", "x", "key-1")).header("Idempotency-Replayed"))
                .isEqualTo("true");
        replica.server().resume();
        Await.until("the replay is answered", LIMIT,
                () -> same.buy("711", "x", "key-1").status() == 201);
    }

    @Test
    @DisplayName("A dead replica counts: 503 until it is back")
    void deadReplicaCounts() {
        TestSale sale = sale(pod, REPLICATED);
        sells(sale);
        long taken = ordered(sale);
        RedisNode replica = replicaOf(sale);
        replica.server().kill();
        Await.until("it counts as failed", LIMIT, () -> cluster.masters().stream()
                .allMatch(node -> ((String) node.command("CLUSTER", "NODES")).lines()
                        .anyMatch(line -> line.startsWith(replica.id()) && line.contains("fail"))
                        && !node.command("CLUSTER", "NODES").toString().contains("fail?")));
        refused(sale.buy("711", "x"), "unavailable");
        assertThat(ordered(sale)).as("units after 503").isEqualTo(taken);
        replica.server().restart();
        sells(sale);
    }

    @Test
    @DisplayName("Both of two replicas must confirm, even if one failed, unless one is enough")
    void failedReplicaOfTwoCounts() {
        TestSale sale = sale(pod, REPLICATED);
        RedisNode master = cluster.masterOf(sale.partition().slot());
        RedisNode more = cluster.nodes().stream().filter(node -> !node.view().master()
                && !node.view().masterId().equals(master.id())).findFirst().orElseThrow();
        String home = more.view().masterId();
        more.command("CLUSTER", "REPLICATE", master.id());
        try (Pod one = pod("replicas-one", Map.of("rush.durability.replicas", "1"))) {
            Await.until("two follow", LIMIT,
                    () -> "2".equals(master.replication().get("connected_slaves"))
                            && master.replication().get("slave1").contains("online"));
            sells(sale);
            more.server().kill();
            Await.until("one follows", LIMIT,
                    () -> "1".equals(master.replication().get("connected_slaves")));
            // The last round was a moment ago, so the next one may begin without a probe.
            Await.until("it is refused", LIMIT,
                    () -> sale.buy(TestSale.fresh("u"), "x").word().equals("unavailable"));
            long taken = ordered(sale);
            refused(sale.buy("711", "x"), "unavailable");
            assertThat(ordered(sale)).isEqualTo(taken);
            is(201, sale.through(one.api()).buy("712", "x"));
        } finally {
            more.server().restart();
            Await.until("it goes back", LIMIT, () -> "OK".equals(
                    more.command("CLUSTER", "REPLICATE", home)));
        }
    }

    @Test
    @DisplayName("A sale or rain may require more than the service, but not less")
    void saleMayRequireMoreButNotLess() {
        TestSale sale = sale(pod, REPLICATED);
        assertThat(sale.view().body().path("durability").asText()).isEqualTo("replicas");
        assertThat(sale(pod, "").view().body().path("durability").asText()).isEqualTo("redis");
        TestSale strictly = sale(strict, "");
        assertThat(strictly.view().body().path("durability").asText()).isEqualTo("replicas");
        for (String weaker : List.of("'durability':'redis'", "'durability':'ledger'",
                "'durability':'none'")) {
            Answer refused = refused(TestSale.unknown(environment, strict.api())
                    .prepareAgain("x:1:0", weaker), "invalid-request");
            assertThat(refused.body().at("/violations/0/field").asText()).isEqualTo("durability");
            refused(strict.api().asOperator().put("/v1/rains/" + TestSale.fresh("rain"),
                    json(TestRain.listed(weaker, 1, 2))), "invalid-request");
        }
        is(200, sale.prepareAgain("x:1000000:0", REPLICATED));
        refused(sale.prepareAgain("x:1000000:0", ""), "sale-exists");
    }

    @Test
    @DisplayName("Grabs of a replicated rain wait for replicas")
    void grabsWaitForReplicas() {
        String id = TestSale.fresh("rain");
        String path = "/v1/rains/" + id;
        Await.until("the rain is prepared", LIMIT, () -> List.of(200, 201).contains(pod.api()
                .asOperator().put(path, json(TestRain.listed(REPLICATED, 5, 6, 7))).status()));
        assertThat(pod.api().get(path).body().path("durability").asText()).isEqualTo("replicas");
        is(201, pod.api().as("711").post(path + "/grabs"));
        RedisNode replica = cluster.replicasOf(new Partitions(64).of(id).slot()).get(0);
        replica.server().pause();
        assertThat(pod.api().as("712").key("key-1").post(path + "/grabs").status())
                .isIn(503, 504);
        replica.server().resume();
        Await.until("the grab is answered", LIMIT, () -> pod.api().as("712").key("key-1")
                .post(path + "/grabs").status() == 201);
        assertThat(pod.api().as("712").get(path + "/grabs").body().path("grabs")).hasSize(1);
    }

    @Test
    @DisplayName("A planned failover under load gives no wrong answer, and sales continue")
    void plannedFailoverIsFollowed() {
        TestSale sale = sale(pod, REPLICATED);
        try (Buyers buyers = new Buyers(pod.api(), sale.id(), 8)) {
            Await.until("purchases flow", LIMIT, () -> buyers.count(201) > 100);
            cluster.promote(replicaOf(sale));
            long before = buyers.count(201);
            Await.until("purchases flow on the new master", LIMIT,
                    () -> buyers.count(201) > before + 100, () -> "" + buyers.statuses());
            buyers.close();
            assertThat(buyers.statuses().keySet()).isSubsetOf(201, 503, 504);
            assertThat(ordered(sale)).isBetween((long) buyers.orders().size(),
                    buyers.orders().size() + buyers.count(504));
        }
    }
}
