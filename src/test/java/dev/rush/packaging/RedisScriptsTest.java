package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Await;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * The Redis pods' scripts on six real Redis processes. There is no kubelet, and names are looked up
 * in a file; what the scripts say to Redis, and what Redis does, is as in a pod.
 */
class RedisScriptsTest extends OnRedisPods {

    @Test
    void createFormsOneClusterAndChangesNothingWhenRunAgain() {
        assertThat(pods.ready("redis-0")).as("ready before there is a cluster").isFalse();

        form();
        Await.until("every master's slots are known", SOON, () -> slots().size() == 3);
        List<String> slots = slots();

        Command second = pods.create();
        assertThat(second.status()).as(second.output()).isZero();
        assertThat(second.output()).contains("nothing to do");
        assertThat(slots()).hasSize(3).isEqualTo(slots);
        assertNoKeyIsLost();
    }

    @Test
    void createStartsAgainAfterItWasInterruptedAndNeverTouchesKeys() {
        pods.cli("redis-1", "cluster", "addslotsrange", "0", "100");
        pods.cli("redis-1", "cluster", "meet", "127.77.0.1", port());
        String held = pods.cli("redis-1", "cluster", "myid");

        assertThat(pods.create().status()).isZero();
        pods.awaitReady(SOON);
        assertThat(pods.cli("redis-1", "cluster", "myid")).as("was reset").isNotEqualTo(held);

        RedisPods.names().forEach(pod -> pods.cli(pod, "flushall"));
        pods.write(KEYS);
        RedisPods.names().forEach(pod -> pods.cli(pod, "cluster", "delslotsrange", "0", "100"));
        Command refused = pods.create();
        assertThat(refused.status()).isNotZero();
        assertThat(refused.output()).contains("left as it is");
    }

    @Test
    void onePodWithANewAddressComesBack() {
        form();

        pods.stop(List.of("redis-4"));
        pods.moveAndStart("redis-4");

        pods.awaitReady(SOON);
        awaitAllKnown();
        assertNoKeyIsLost();
    }

    /** As a replica does after each full copy; without "force" Redis then ignores SIGTERM. */
    @Test
    void podThatWritesItsFirstAppendOnlyFileEnds() {
        form();
        String pod = replica();
        pods.cli(pod, "config", "set", "rdb-key-save-delay", "10000000");
        pods.cli(pod, "config", "set", "appendonly", "no");
        pods.cli(pod, "config", "set", "appendonly", "yes");
        Await.until("the file is being written", SOON, () ->
                pods.cli(pod, "info", "persistence").contains("aof_rewrite_in_progress:1"));

        pods.signal(pod, "TERM");

        Await.until(pod + " has ended", SOON, () -> !pods.runs(pod));
    }

    @Test
    void podsThatAllGetNewAddressesFindEachOther() {
        form();

        pods.leaveAlone();
        replaceAll();
        RedisPods.names().forEach(pod -> Await.until(pod + " looked where they were", SOON,
                () -> pods.cli(pod, "cluster", "nodes").lines()
                        .filter(line -> line.contains("fail")).count() == RedisPods.NODES - 1));
        assertThat(RedisPods.names().stream().filter(pods::ready))
                .as("ready though nobody looked for moved peers").isEmpty();

        pods.heal();
        replaceAll();
        pods.awaitReady(SOON);
        awaitAllKnown();
        assertNoKeyIsLost();
    }

    /** Redis tells its replication only of a move that it heard of from the master itself. */
    @Test
    void replicaFollowsAMasterWhoseMoveItHeardOfFromOthers() {
        form();
        String replica = replica();
        String master = pods.masterOf(replica);

        pods.stop(List.of(replica, master));
        pods.healLate();
        pods.moveAndStart(replica);
        Await.until(replica + " misses its master", SOON, () -> pods.known(replica).size() == 5);
        pods.leaveAlone();
        pods.moveAndStart(master);

        pods.awaitReady(SOON);
        assertThat(pods.masterOf(replica)).isEqualTo(master);
        assertNoKeyIsLost();
    }

    @Test
    void stoppingMasterHandsOverFirst() {
        form();
        List<String> masters = masters();

        Command handOver = pods.script("prestop.sh", masters.get(0));
        assertThat(handOver.status()).as(handOver.output()).isZero();
        assertThat(pods.role(masters.get(0))).as(handOver.output()).isEqualTo("slave");
        pods.stop(List.of(masters.get(0)));

        assertThat(masters()).hasSize(3);
        assertThat(readableElsewhere(masters.get(0))).isEqualTo(KEYS);
        pods.start(masters.get(0));
        pods.awaitReady(SOON);

        long looks = calls(masters.get(0), "replicas");
        assertThat(pods.script("prestop.sh", masters.get(0)).status()).isZero();
        assertThat(calls(masters.get(0), "replicas"))
                .as("a replica has nothing to hand over").isEqualTo(looks);
    }

    /** The one that hands over has looked in vain, once at least, before the replica is back. */
    @Test
    void stoppingMasterWaitsForAReplicaThatIsComingBack() {
        form();
        String replica = replica();
        String master = pods.masterOf(replica);
        pods.signal(replica, "STOP");
        Await.until(master + " misses its replica", SOON, () -> pods.misses(master, replica));

        Command inVain = pods.script("prestop.sh", master, Map.of("REDIS_REPLICA_SECONDS", "0"));
        assertThat(inVain.status()).as(inVain.output()).isZero();
        assertThat(inVain.output()).contains("no replica can take over");

        long looks = calls(master, "replicas");
        CompletableFuture<Command> handOver = CompletableFuture.supplyAsync(() ->
                pods.script("prestop.sh", master, Map.of("REDIS_REPLICA_SECONDS", "20")));
        Await.until("looks for a replica", SOON, () -> calls(master, "replicas") > looks);
        pods.signal(replica, "CONT");

        Command ended = handOver.join();
        assertThat(ended.status()).as(ended.output()).isZero();
        assertThat(pods.role(master)).as(ended.output()).isEqualTo("slave");
        assertThat(pods.role(replica)).isEqualTo("master");
        assertNoKeyIsLost();
    }

    @Test
    void strangerBehindAPeersNameIsNotGreeted() {
        // redis-5 stands for another cluster's node: it never joins, and its address is "reused".
        pods.cli("redis-0", "cluster", "meet", "127.77.0.2", port());
        Await.until("two nodes know each other", SOON, () -> pods.known("redis-0").size() == 2);

        long before = calls("redis-5", "myid");
        pods.mislead("redis-1", "redis-5");
        // In one round of their loops the six ask it twelve times: under its name, and redis-1's.
        Await.until("they have looked", SOON.multipliedBy(2),
                () -> calls("redis-5", "myid") > before + 24);

        assertThat(pods.known("redis-0")).containsExactlyInAnyOrder("127.77.0.1", "127.77.0.2");
        assertThat(pods.known("redis-5")).containsExactly("127.77.0.6");
    }

    private void replaceAll() {
        pods.stop(RedisPods.names());
        RedisPods.names().forEach(pods::moveAndStart);
    }

    private void awaitAllKnown() {
        RedisPods.names().forEach(pod -> Await.until(pod + " knows all addresses", SOON,
                () -> pods.known(pod).equals(pods.addresses()),
                () -> pods.cli(pod, "cluster", "nodes")));
    }

    /** Each master's id, with the slots that redis-0 knows it to hold. */
    private List<String> slots() {
        return pods.cli("redis-0", "cluster", "nodes").lines()
                .filter(line -> line.contains("master"))
                .map(line -> line.split(" "))
                .filter(words -> words.length > 8)
                .map(words -> words[0] + " " + words[8])
                .sorted().toList();
    }

    /** Reads through another pod than the one that is away. */
    private long readableElsewhere(String away) {
        return pods.readable(KEYS, away.equals("redis-0") ? "redis-1" : "redis-0");
    }

    private String port() {
        return String.valueOf(pods.port());
    }
}
