package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Await;
import dev.rush.testing.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Redis pods recover from a freeze or a lost disk, and their probes name the cause. */
class RedisHealingTest extends OnRedisPods {

    /** The file is left if {@code create.sh} makes a node a replica while it joins by itself. */
    @Test
    void joiningNodeThatIsAReplicaStaysOne() {
        formCluster();
        Map<String, String> masters = new HashMap<>();
        for (String replica : inRole("slave")) {
            masters.put(replica, pods.masterOf(replica));
        }

        for (String replica : masters.keySet()) {
            // A slow pod may still have this file from when the cluster was formed.
            Kustomize.write(joining(replica), "");
        }
        Await.until("no node is joining", SOON,
                () -> masters.keySet().stream().map(this::joining).noneMatch(Files::exists));

        masters.forEach((replica, master) ->
                assertThat(pods.masterOf(replica)).as(replica).isEqualTo(master));
    }

    private Path joining(String pod) {
        return folder.resolve(pod).resolve("joining");
    }

    @Test
    void podThatLostItsDiskRejoinsAndItsOldIdIsForgotten() {
        formCluster();
        String lost = replica();
        String id = pods.cli(lost, "cluster", "myid");

        pods.stop(List.of(lost));
        pods.wipeDisk(lost);
        pods.startAtNewAddress(lost);

        awaitSixNodes();
        assertThat(pods.nodeIds("redis-0")).doesNotContain(id);
        assertNoKeyIsLost();
    }

    /** At the old address its replica would have copied the empty node. */
    @Test
    void masterThatLostItsDiskAtItsOldAddressLosesNoKey() {
        formCluster();
        String lost = pods.masterOf(replica());

        pods.stop(List.of(lost));
        pods.wipeDisk(lost);
        pods.start(lost);

        awaitSixNodes();
        assertNoKeyIsLost();
    }

    @Test
    void emptyPodJoinsOnlyTheClusterOfMostPeers() {
        formCluster();
        String lost = replica();
        List<String> others = RedisPods.names().stream().filter(pod -> !pod.equals(lost)).toList();
        pods.stop(List.of(lost));
        pods.wipeDisk(lost);
        pods.hideNames(others.subList(0, 2));
        pods.start(lost);

        long before = clusterCalls(lost, "info");
        Await.until("it has searched for its peers", SOON,
                () -> clusterCalls(lost, "info") > before + 4);
        assertThat(pods.nodeIds(lost)).hasSize(1);

        pods.restoreNames();
        awaitSixNodes();
    }

    @Test
    void frozenPodIsNotAliveAndDoesNotDelayItsOwnStop() {
        formCluster();
        String frozen = replica();
        assertThat(pods.script("alive.sh", frozen).status()).isZero();

        pods.signal(frozen, "STOP");

        Command alive = pods.script("alive.sh", frozen);
        assertThat(alive.status()).isNotZero();
        assertThat(alive.output()).contains("does not answer");
        Command stop = pods.script("prestop.sh", frozen, Map.of("REDIS_PRESTOP_SECONDS", "3600"));
        assertThat(stop.status()).as(stop.output()).isZero();
        assertThat(stop.output()).contains("nothing can be handed over");
    }

    @Test
    void readinessNamesTheCause() {
        assertThat(pods.script("ready.sh", "redis-0").output())
                .contains("the cluster is down: this node knows 1 of 6 nodes, 0 of 16384 slots");
        formCluster();
        String replica = replica();
        Kustomize.write(folder.resolve("wrong"), "pear");
        Map<String, String> wrong = Map.of("REDIS_AUTH", folder.resolve("wrong").toString());

        Command refused = pods.script("ready.sh", replica, wrong);
        assertThat(refused.status()).isNotZero();
        assertThat(refused.output()).contains("refuses the password in " + folder);
        assertThat(pods.script("alive.sh", replica, wrong).status())
                .as("a restart cannot fix a wrong password").isZero();
        Kustomize.write(folder.resolve("wrong"), "");
        assertThat(pods.script("ready.sh", replica, wrong).output())
                .contains("refuses the password");
        assertThat(pods.script("alive.sh", replica, wrong).status())
                .as("nor an empty file of passwords").isZero();

        pods.cli(pods.masterOf(replica), "config", "set", "requirepass", "pear");
        pods.cli(replica, "client", "kill", "type", "master");
        Await.until("replication has stopped", SOON, () -> !pods.ready(replica));
        Await.until("the cause is reported", SOON, () -> pods.script("ready.sh", replica).output()
                .matches("(?s)ready.sh: the master .* refuses the password.*"),
                () -> pods.script("ready.sh", replica).output());
    }

    /** All pods are ready and know the same six ids, and each of three masters has a replica. */
    private void awaitSixNodes() {
        pods.awaitReady(SOON);
        Await.until("six nodes know each other and no others", SOON, () -> {
            Set<Set<String>> views = RedisPods.names().stream().map(pods::nodeIds)
                    .collect(Collectors.toSet());
            Set<String> followed = RedisPods.names().stream()
                    .filter(pod -> pods.role(pod).equals("slave")).map(pods::masterOf)
                    .collect(Collectors.toSet());
            return views.size() == 1 && views.iterator().next().size() == RedisPods.NODES
                    && followed.size() == 3;
        }, () -> pods.cli("redis-0", "cluster", "nodes"));
    }
}
