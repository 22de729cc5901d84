package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Await;
import dev.rush.testing.Command;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Runs the Redis pods' scripts on six real Redis processes. Only the kubelet and DNS are replaced:
 * the scripts and Redis are those of a pod.
 */
class RedisScriptsTest extends OnRedisPods {

    @Test
    void createFormsOneClusterAndChangesNothingWhenRunAgain() {
        assertThat(pods.ready("redis-0")).as("ready without a cluster").isFalse();

        formCluster();
        Await.until("every master's slots are known", SOON, () -> slots().size() == 3);
        List<String> slots = slots();

        Command second = pods.create();
        assertThat(second.status()).as(second.output()).isZero();
        assertThat(second.output()).contains("nothing to do");
        assertThat(slots()).hasSize(3).isEqualTo(slots);
        assertNoKeyIsLost();
    }

    /** What Redis has made of redis.conf and the arguments of start.sh. */
    @Test
    void nodesAnnounceThemselvesKeepTheirDataAndServeWithoutADeadShard() {
        Map.of("cluster-announce-ip", pods.address("redis-0"),
                "cluster-announce-hostname", "redis-0.redis",
                "cluster-require-full-coverage", "no",
                "appendonly", "yes",
                "maxmemory-policy", "noeviction").forEach((key, value) -> assertThat(
                        pods.cli("redis-0", "config", "get", key)).isEqualTo(key + "\n" + value));
    }

    @Test
    void createRestartsAfterAnInterruptionAndNeverTouchesKeys() {
        pods.cli("redis-1", "cluster", "addslotsrange", "0", "100");
        pods.cli("redis-1", "cluster", "meet", "127.77.0.1", port());
        String firstId = pods.cli("redis-1", "cluster", "myid");

        // A run fails if a node hears of another right after its reset; the Job repeats it.
        Await.until("a run succeeds", SOON, () -> pods.create().status() == 0);
        pods.awaitReady(SOON);
        assertThat(pods.cli("redis-1", "cluster", "myid")).as("was reset").isNotEqualTo(firstId);

        RedisPods.names().forEach(pod -> pods.cli(pod, "flushall"));
        pods.write(KEYS);
        RedisPods.names().forEach(pod -> pods.cli(pod, "cluster", "delslotsrange", "0", "100"));
        Command refused = pods.create();
        assertThat(refused.status()).isNotZero();
        assertThat(refused.output()).contains("left as it is");
    }

    @Test
    void podWithANewAddressRejoins() {
        formCluster();

        pods.stop(List.of("redis-4"));
        pods.startAtNewAddress("redis-4");

        pods.awaitReady(SOON);
        awaitAllKnown();
        assertNoKeyIsLost();
    }

    /** A replica writes it after each full copy; without "force" Redis then ignores SIGTERM. */
    @Test
    void podThatWritesItsFirstAppendOnlyFileStops() {
        formCluster();
        String pod = replica();
        pods.cli(pod, "config", "set", "rdb-key-save-delay", "10000000");
        pods.cli(pod, "config", "set", "appendonly", "no");
        pods.cli(pod, "config", "set", "appendonly", "yes");
        Await.until("the file is being written", SOON, () ->
                pods.cli(pod, "info", "persistence").contains("aof_rewrite_in_progress:1"));

        pods.signal(pod, "TERM");

        Await.until(pod + " has ended", SOON, () -> !pods.isRunning(pod));
    }

    @Test
    void podsThatAllGetNewAddressesFindEachOther() {
        formCluster();
        awaitAllKnown();

        pods.disableHealing();
        replaceAll();
        RedisPods.names().forEach(pod -> Await.until(pod + " has failed to reach its peers", SOON,
                () -> hasLostAllPeers(pod), () -> describe(pod)));
        assertThat(RedisPods.names().stream().filter(pods::ready))
                .as("ready without healing").isEmpty();

        pods.enableHealing();
        replaceAll();
        pods.awaitReady(SOON);
        awaitAllKnown();
        assertNoKeyIsLost();
    }

    /** Redis updates its replication only if the master itself announces its new address. */
    @Test
    void replicaFollowsAMasterWhoseNewAddressItLearnsFromOthers() {
        formCluster();
        String replica = replica();
        String master = pods.masterOf(replica);

        pods.stop(List.of(replica, master));
        pods.delayHealing();
        pods.startAtNewAddress(replica);
        Await.until(replica + " is connected to all but its master", SOON,
                () -> pods.connected(replica).size() == 5);
        pods.disableHealing();
        pods.startAtNewAddress(master);

        pods.awaitReady(SOON);
        assertThat(pods.masterOf(replica)).as(describe(replica)).isEqualTo(master);
        assertNoKeyIsLost();
    }

    @Test
    void stoppingMasterHandsOverFirst() {
        formCluster();
        List<String> masters = masters();

        Command handOver = pods.script("prestop.sh", masters.get(0));
        assertThat(handOver.status()).as(handOver.output()).isZero();
        assertThat(pods.role(masters.get(0))).as(handOver.output()).isEqualTo("slave");
        pods.stop(List.of(masters.get(0)));

        assertThat(masters()).hasSize(3);
        assertThat(countReadableWithout(masters.get(0))).isEqualTo(KEYS);
        pods.start(masters.get(0));
        pods.awaitReady(SOON);

        long searches = clusterCalls(masters.get(0), "replicas");
        assertThat(pods.script("prestop.sh", masters.get(0)).status()).isZero();
        assertThat(clusterCalls(masters.get(0), "replicas"))
                .as("a replica has nothing to hand over").isEqualTo(searches);
    }

    /** The replica returns only after the master has searched for one in vain. */
    @Test
    void stoppingMasterWaitsForAReplicaThatReturns() {
        formCluster();
        String replica = replica();
        String master = pods.masterOf(replica);
        pods.signal(replica, "STOP");
        Await.until(master + " sees its replica fail", SOON,
                () -> pods.seesFailed(master, replica));

        Command inVain = pods.script("prestop.sh", master, Map.of("REDIS_REPLICA_SECONDS", "0"));
        assertThat(inVain.status()).as(inVain.output()).isZero();
        assertThat(inVain.output()).contains("no replica can take over");

        long searches = clusterCalls(master, "replicas");
        CompletableFuture<Command> handOver = CompletableFuture.supplyAsync(() ->
                pods.script("prestop.sh", master, Map.of("REDIS_REPLICA_SECONDS", "100",
                        "REDIS_PRESTOP_SECONDS", "120")));
        Await.until("it has searched for a replica", SOON,
                () -> clusterCalls(master, "replicas") > searches);
        pods.signal(replica, "CONT");

        Command ended = handOver.join();
        assertThat(ended.status()).as(ended.output()).isZero();
        assertThat(pods.role(master)).as(ended.output()).isEqualTo("slave");
        assertThat(pods.role(replica)).isEqualTo("master");
        assertNoKeyIsLost();
    }

    @Test
    void strangerAtAPeersNameIsNotMet() {
        // redis-5 plays a node of another cluster, whose address a stale name of redis-1 leads to.
        pods.cli("redis-0", "cluster", "meet", "127.77.0.2", port());
        Await.until("two nodes know each other", SOON, () -> pods.connected("redis-0").size() == 2);

        long before = clusterCalls("redis-5", "myid");
        pods.misdirectName("redis-1", "redis-5");
        // Each round of the six loops asks it twelve times: under its own name and redis-1's.
        Await.until("two rounds have passed", SOON.multipliedBy(2),
                () -> clusterCalls("redis-5", "myid") > before + 24);

        assertThat(pods.connected("redis-0")).containsExactlyInAnyOrder("127.77.0.1", "127.77.0.2");
        assertThat(pods.connected("redis-5")).containsExactly("127.77.0.6");
    }

    private void replaceAll() {
        pods.stop(RedisPods.names());
        RedisPods.names().forEach(pods::startAtNewAddress);
    }

    /** Whether a pod's node considers every other one that it knows failed. */
    private boolean hasLostAllPeers(String pod) {
        List<String> nodes = pods.cli(pod, "cluster", "nodes").lines().toList();
        return nodes.stream().anyMatch(line -> line.contains("myself"))
                && nodes.stream().filter(line -> !line.contains("myself"))
                        .allMatch(line -> line.contains("fail"));
    }

    private void awaitAllKnown() {
        RedisPods.names().forEach(pod -> Await.until(pod + " knows all addresses", SOON,
                () -> pods.connected(pod).equals(pods.addresses()),
                () -> pods.cli(pod, "cluster", "nodes")));
    }

    /** Returns the id and slots of each master, as redis-0 knows them. */
    private List<String> slots() {
        return pods.cli("redis-0", "cluster", "nodes").lines()
                .filter(line -> line.contains("master"))
                .map(line -> line.split(" "))
                .filter(words -> words.length > 8)
                .map(words -> words[0] + " " + words[8])
                .sorted().toList();
    }

    /** Counts the readable keys through a pod that is not the stopped one. */
    private long countReadableWithout(String stopped) {
        return pods.countReadable(KEYS, stopped.equals("redis-0") ? "redis-1" : "redis-0");
    }

    private String port() {
        return String.valueOf(pods.port());
    }
}
