package dev.rush.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Buyers.Purchase;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Patience;
import dev.rush.testing.Pod;
import dev.rush.testing.RedisClusterNodes;
import dev.rush.testing.RedisNode;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Faults of a Redis Cluster under load (S1, S2, I8, I9): no wrong answer, recovery without help,
 * and sales on other masters undisturbed meanwhile. Each test keeps a crowd buying while it breaks
 * something, and afterwards compares the answers with what Redis has.
 */
class ClusterFaultsIT {

    private static final Set<Integer> HONEST = Set.of(201, 503, 504);
    private static final Duration RECOVERY = Duration.ofSeconds(30);
    private static final Partitions PARTITIONS = new Partitions(64);
    private static RedisClusterNodes cluster;
    private static Environment environment;
    private static Pod pod;
    private static Pod hasty;
    private static int round;

    /** Sales of this test, one on each master, by the master's port. */
    private final Map<Integer, String> sales = new LinkedHashMap<>();

    @BeforeAll
    static void start() {
        cluster = RedisClusterNodes.start();
        environment = Environments.on("faults", cluster);
        List<Pod> pods = Environments.startTogether(
                () -> Environments.startPod("faults", environment, Map.of()),
                () -> Environments.startPod("faults-hasty", environment,
                        Map.of("rush.deadline", "PT1S")));
        pod = pods.get(0);
        hasty = pods.get(1);
    }

    @AfterAll
    static void stop() {
        pod.close();
        hasty.close();
        cluster.close();
    }

    @BeforeEach
    void oneSaleOnEachMaster() {
        cluster.heal();
        round++;
        for (int i = 0; sales.size() < 3; i++) {
            String sale = "faults-" + round + "-" + i;
            int port = cluster.masterOf(PARTITIONS.of(sale).slot()).port();
            if (!sales.containsKey(port)) {
                sales.put(port, sale);
                // A pod may still be recovering from the last test's fault.
                Await.until("sale " + sale + " is prepared", RECOVERY, () -> {
                    int status = pod.api().asOperator().put("/v1/sales/" + sale,
                            "{\"items\":[{\"sku\":\"x\",\"total\":1000000}]}").status();
                    return status == 201 || status == 200;
                });
            }
        }
        cluster.awaitReplicas();
    }

    private static long sold(String sale) {
        return Long.parseLong(environment.resp(key(sale, "stock"))
                .text("HGET", key(sale, "stock"), "x:ordered"));
    }

    private static String key(String sale, String part) {
        return PARTITIONS.of(sale).key("sale:" + sale + ":" + part);
    }

    @Test
    void flushedScriptsAreLoadedAgainUnnoticed() {
        for (String sale : sales.values()) {
            try (Buyers buyers = new Buyers(pod.api(), sale, 8)) {
                for (int i = 0; i < 20; i++) {
                    cluster.onEveryMaster("SCRIPT", "FLUSH");
                    Await.sleep(25);
                }
                buyers.close();
                assertThat(buyers.statuses()).as(sale).containsOnlyKeys(201);
                assertThat(sold(sale)).isEqualTo(buyers.count(201));
            }
        }
    }

    @Test
    void plannedFailoverUnderLoadGivesNoWrongAnswer() {
        String sale = sales.values().iterator().next();
        try (Buyers buyers = new Buyers(pod.api(), sale, 16)) {
            Await.until("purchases flow", RECOVERY, () -> buyers.count(201) > 200);
            int slot = PARTITIONS.of(sale).slot();
            RedisNode replica = cluster.replicasOf(slot).get(0);
            cluster.promote(replica);
            long before = buyers.count(201);
            Await.until("purchases flow on the new master", RECOVERY,
                    () -> buyers.count(201) > before + 200, () -> "" + buyers.statuses());
            buyers.close();
            assertConsistent(buyers, sale);
        }
    }

    @Test
    void killedMasterFailsOverWhileOtherSalesContinue() {
        String sale = sales.values().iterator().next();
        String other = sales.values().stream().skip(1).findFirst().orElseThrow();
        int slot = PARTITIONS.of(sale).slot();
        RedisNode master = cluster.masterOf(slot);
        try (Buyers buyers = new Buyers(hasty.api(), sale, 8);
                Buyers others = new Buyers(pod.api(), other, 8)) {
            Await.until("purchases flow", RECOVERY, () -> buyers.count(201) > 200);
            master.server().kill();
            cluster.awaitFailover(slot, master);
            long before = buyers.count(201);
            Await.until("purchases flow on the promoted replica", RECOVERY,
                    () -> buyers.count(201) > before + 200, () -> "" + buyers.statuses());
            buyers.close();
            others.close();

            assertThat(others.statuses()).as("sale on another master").containsOnlyKeys(201);
            assertThat(sold(other)).isEqualTo(others.count(201));
            assertThat(buyers.count(503)).as("refused while there was no master").isPositive();
            assertThat(buyers.slowestMs()).as("answered near the deadline of 1 s")
                    .isLessThan(Patience.ofMillis(3_000));
            // An unplanned failover may lose writes that the replica had not yet received, but
            // every answer must still be honest.
            assertThat(HONEST).containsAll(buyers.statuses().keySet());
        }
    }

    /** Every answer is honest, and accepted plus resolved unknown purchases are what Redis sold. */
    private static void assertConsistent(Buyers buyers, String sale) {
        assertThat(HONEST).as("%s", buyers.statuses()).containsAll(buyers.statuses().keySet());
        Set<String> orders = buyers.orders();
        assertThat(orders).as("one order per accepted purchase").hasSize((int) buyers.count(201));
        for (Purchase unknown : buyers.with(504)) {
            Purchase again = buyers.buy(unknown.user(), unknown.key());
            assertThat(again.status()).as("a retry with the same key decides").isEqualTo(201);
            orders.add(again.order());
        }
        assertThat(sold(sale)).as("%s", buyers.statuses()).isEqualTo(orders.size());
        for (Purchase bought : buyers.with(201).stream().limit(50).toList()) {
            assertThat(pod.api().asOperator().get("/v1/sales/" + sale + "/orders/"
                    + bought.order() + "?user=" + bought.user()).status()).isEqualTo(200);
        }
    }
}
