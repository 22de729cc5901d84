package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Await;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Redis pods that froze or lost their disk: what replaces them, and what their probes say. */
class RedisHealingTest extends OnRedisPods {

    @Test
    void podThatLostItsDiskJoinsByItselfAndItsDeadIdIsForgotten() {
        form();
        String lost = replica();
        String id = pods.cli(lost, "cluster", "myid");

        pods.stop(List.of(lost));
        pods.loseDisk(lost);
        pods.moveAndStart(lost);

        awaitSixNodes();
        assertThat(pods.ids("redis-0")).doesNotContain(id);
        assertNoKeyIsLost();
    }

    /** At the old address its replica would have copied the empty node. */
    @Test
    void masterThatLostItsDiskAtItsOldAddressLosesNoKey() {
        form();
        String lost = pods.masterOf(replica());

        pods.stop(List.of(lost));
        pods.loseDisk(lost);
        pods.start(lost);

        awaitSixNodes();
        assertNoKeyIsLost();
    }

    @Test
    void emptyPodJoinsOnlyTheClusterToWhichMostNamesLead() {
        form();
        String lost = replica();
        List<String> others = RedisPods.names().stream().filter(pod -> !pod.equals(lost)).toList();
        pods.stop(List.of(lost));
        pods.loseDisk(lost);
        pods.hide(others.subList(0, 2));
        pods.start(lost);

        long before = calls(lost, "info");
        Await.until("it has looked for its peers", SOON, () -> calls(lost, "info") > before + 4);
        assertThat(pods.ids(lost)).hasSize(1);

        pods.showAll();
        awaitSixNodes();
    }

    @Test
    void frozenPodIsNotAliveAndDoesNotHoldUpItsOwnStop() {
        form();
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
    void readinessSaysWhatIsMissing() {
        assertThat(pods.script("ready.sh", "redis-0").output())
                .contains("the cluster is down: this node knows 1 of 6 nodes, 0 of 16384 slots");
        form();
        String replica = replica();
        Kustomize.write(folder.resolve("wrong"), "pear");
        Map<String, String> wrong = Map.of("REDIS_AUTH", folder.resolve("wrong").toString());

        Command refused = pods.script("ready.sh", replica, wrong);
        assertThat(refused.status()).isNotZero();
        assertThat(refused.output()).contains("refuses the password in " + folder);
        assertThat(pods.script("alive.sh", replica, wrong).status())
                .as("a wrong password is no reason for a restart").isZero();

        pods.cli(pods.masterOf(replica), "config", "set", "requirepass", "pear");
        pods.cli(replica, "client", "kill", "type", "master");
        Await.until("the copy has ended", SOON, () -> !pods.ready(replica));
        Await.until("the cause is said", SOON, () -> pods.script("ready.sh", replica).output()
                .matches("(?s)ready.sh: the master .* refuses the password.*"),
                () -> pods.script("ready.sh", replica).output());
    }

    /** All are ready, know the same six ids, and three of them are masters with a replica each. */
    private void awaitSixNodes() {
        pods.awaitReady(SOON);
        Await.until("six nodes know each other and nobody else", SOON, () -> {
            Set<Set<String>> views = RedisPods.names().stream().map(pods::ids)
                    .collect(Collectors.toSet());
            Set<String> followed = RedisPods.names().stream()
                    .filter(pod -> pods.role(pod).equals("slave")).map(pods::masterOf)
                    .collect(Collectors.toSet());
            return views.size() == 1 && views.iterator().next().size() == RedisPods.NODES
                    && followed.size() == 3;
        }, () -> pods.cli("redis-0", "cluster", "nodes"));
    }
}
