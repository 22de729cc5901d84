package dev.rush.sale.shard;

import static dev.rush.sale.shard.ShardScene.SOON;
import static dev.rush.sale.shard.ShardScene.assertConserved;
import static dev.rush.testing.Answers.is;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.redis.Partition;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import dev.rush.testing.TestSale;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** D1: transfers between the shards of a sale that waits for replicas wait for them, too. */
class TransferReplicasIT {
    private static final long TOTAL = 30;

    @Test
    @DisplayName("D1, S4: a resumed transfer is given only once replicas have what was taken")
    void resumedTransferWaitsForReplicas() {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                EmbeddedRedis replica = EmbeddedRedis.start()) {
            Environment environment =
                    Environments.inShards(Environments.on("transfer-replicas", redis));
            Map<String, String> config = Map.of(
                    "rush.rate-limit.enabled", "false", "rush.durability.replicas", "1");
            try (Resp resp = Resp.connect(redis.port());
                    Pod pod = Environments.startPod("transfer-replicas", environment, config)) {
                TestSale sale = TestSale.unknown(environment, pod.api());
                sale.prepare("apple:" + TOTAL + ":0", "'durability':'replicas'");
                is(200, sale.view());
                follow(replica, redis);
                replica.pause();
                take(sale, 0, 1);
                long waits = resp.calls("wait");
                Await.until("the pod has waited in vain, and does again", SOON,
                        () -> resp.calls("wait") > waits + 1, pod::log);
                assertThat(sale.size("transfers")).isEqualTo(1);
                assertThat(ShardScene.sum(sale, "apple:received")).isZero();
                replica.resume();
                assertConserved(sale, "apple", TOTAL);
            }
        }
    }

    private static void follow(EmbeddedRedis replica, EmbeddedRedis master) {
        try (Resp follower = Resp.connect(replica.port())) {
            follower.command("REPLICAOF", "127.0.0.1", Integer.toString(master.port()));
            Await.until("the replica is in step", SOON, () ->
                    follower.text("INFO", "replication").contains("master_link_status:up"));
        }
    }

    /** The first step of a transfer whose pod then dies. */
    private static void take(TestSale sale, int source, int destination) {
        Partition from = sale.shards().get(source);
        assertThat((String) sale.redis("EVAL", ShardScripts.TAKE.text(), "4",
                sale.key(from, "conf"),
                sale.key(from, "stock"),
                sale.key(from, "transfers"), from.key("unfinished"),
                UUID.randomUUID().toString(), Integer.toString(destination), "apple", "1",
                ShardScripts.transferNote(sale.id()))).startsWith("taken ");
    }
}
