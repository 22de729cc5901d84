package dev.rush.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.RedisClusterNodes;
import dev.rush.testing.RedisNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * S2: a master that is frozen (SIGSTOP) but not dead accepts connections and never answers. Running
 * and starting pods follow its failover, and sell what other masters have.
 */
class FrozenMasterClusterIT {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    /** The goal is 3 s; a machine that is busy with other tests is slower. */
    private static final long AFTER_PROMOTION_MS = 10_000;
    private static final Partitions PARTITIONS = new Partitions(64);
    private static final String ONE = "{\"items\":[{\"sku\":\"x\"}]}";

    private static RedisClusterNodes cluster;
    private static Environment environment;
    private static Pod running;

    @BeforeAll
    static void start() {
        cluster = RedisClusterNodes.start();
        environment = Environments.on("frozen", cluster);
        running = Environments.startPod("frozen-running", environment, Map.of());
    }

    @AfterEach
    void thaw() {
        cluster.nodes().forEach(node -> node.server().resume());
        cluster.awaitHealthy();
    }

    @AfterAll
    static void stop() {
        running.close();
        cluster.close();
    }

    @Test
    void runningAndStartingPodsSellAgainAfterTheFailoverOfAFrozenMaster() {
        String sale = prepared(cluster.masters().get(0));
        int slot = PARTITIONS.of(sale).slot();
        RedisNode master = cluster.masterOf(slot);
        cluster.awaitReplicas();

        master.server().pause();
        try (Pod starting = Environments.launchPod("frozen-starting", environment, Map.of())) {
            long gap = soldAfterPromotion(running, sale, slot, master);
            System.out.println("Sold again " + gap + " ms after the promotion");
            starting.awaitReady();
            sells(starting, sale, "a pod that started while the master was frozen");
            assertThat(gap).isLessThan(AFTER_PROMOTION_MS);

            master.server().resume();
            cluster.awaitHealthy();
            sells(starting, sale, "after the thaw, the pod that started meanwhile");
            sells(running, sale, "after the thaw, the pod that ran before");
        }
    }

    /** Buys without a pause; returns the milliseconds from the promotion to the next purchase. */
    private static long soldAfterPromotion(Pod pod, String sale, int slot, RedisNode master) {
        try (Buyers buyers = new Buyers(pod.api(), sale, 2)) {
            RedisNode promoted = cluster.awaitFailover(slot, master);
            long promotion = System.nanoTime();
            assertThat(promoted).isNotEqualTo(master);
            long before = buyers.count(201);
            Await.until("the running pod sells", LIMIT, () -> buyers.count(201) > before,
                    () -> buyers.statuses() + "\n" + pod.log());
            return (System.nanoTime() - promotion) / 1_000_000;
        }
    }

    private static void sells(Pod pod, String sale, String who) {
        Await.until(who + " sells", LIMIT, () -> pod.api().as(who.replaceAll("[^a-z]", "-"))
                .post("/v1/sales/" + sale + "/purchases", ONE).status() == 201, pod::log);
    }

    @Test
    void podThatStartsWhileAMasterIsFrozenIsReadyAndSellsOnTheOthers() {
        // A pod sells nothing before it has the blocklist, so the master of that is not frozen.
        List<RedisNode> masters = new ArrayList<>(cluster.masters());
        masters.remove(cluster.masterOf(Slots.of("{blocklist}")));
        String frozenSale = prepared(masters.get(0));
        String otherSale = prepared(masters.get(1));
        cluster.awaitReplicas();
        // With the replica frozen too, there is no failover.
        cluster.replicasOf(PARTITIONS.of(frozenSale).slot())
                .forEach(replica -> replica.server().pause());
        masters.get(0).server().pause();

        try (Pod pod = Environments.startPod("frozen-shard", environment, Map.of())) {
            assertThat(pod.health("started")).isEqualTo(200);
            assertThat(pod.api().as("711").post("/v1/sales/" + otherSale + "/purchases", ONE)
                    .status()).isEqualTo(201);
            assertThat(pod.api().as("711").post("/v1/sales/" + frozenSale + "/purchases", ONE)
                    .word()).isEqualTo("unavailable");
            assertThat(pod.log()).contains("2 of 3 masters").contains("does not answer within");
        }
    }

    /** Prepares a sale that lies on a master. */
    private static String prepared(RedisNode master) {
        for (int i = 0;; i++) {
            String sale = "frozen-" + i;
            if (cluster.masterOf(PARTITIONS.of(sale).slot()) == master) {
                Await.until("sale " + sale + " is prepared", LIMIT, () -> List.of(200, 201)
                        .contains(running.api().asOperator().put("/v1/sales/" + sale,
                                "{\"items\":[{\"sku\":\"x\",\"total\":1000000}]}").status()));
                return sale;
            }
        }
    }
}
