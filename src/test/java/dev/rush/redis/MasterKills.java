package dev.rush.redis;

import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.RedisClusterNodes;
import dev.rush.testing.RedisNode;
import dev.rush.testing.Resp;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * D1: repeatedly kills the master of two sales under load, right after it answered. One sale is
 * answered after its script, the other once replicas have it. After each failover, the promoted
 * replica is searched for every order that a buyer received. In every other kill the replica lags:
 * it is cut off a moment before, while the master still answers.
 *
 * <p>{@code ./mvnw -Pkills} does this fifty times ({@code -Dkills=}).
 */
public final class MasterKills implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Partitions PARTITIONS = new Partitions(64);
    private static final List<String> LEVELS = List.of("redis", "replicas");
    private static final int CLIENTS = 8;
    /** How many purchases precede the kill, and how many a lagging replica misses at least. */
    private static final int WARM = 100;
    private static final int MISSED = 20;

    private final RedisClusterNodes cluster;
    private final Environment environment;
    private final Pod pod;
    private int round;

    MasterKills() {
        cluster = RedisClusterNodes.start("--cluster-replica-validity-factor", "0");
        environment = Environments.on("kills", cluster);
        pod = Environments.startPod("kills", environment,
                Map.of("rush.orders.sink", "none", "rush.rate-limit.enabled", "false"));
    }

    /** What one kill did to one sale. */
    record Loss(String level, boolean lagging, int answered, int unknown, int lost) {
    }

    /** Kills {@code -Dkills=} times; exits with 1 if an order under replicas was lost. */
    public static void main(String[] args) {
        int kills = Integer.getInteger("kills", 50);
        Map<String, int[]> sums = new LinkedHashMap<>();
        try (MasterKills masters = new MasterKills()) {
            for (int i = 1; i <= kills; i++) {
                for (Loss loss : masters.kill(i % 2 == 0)) {
                    System.out.println("kill " + i + ": " + loss);
                    int[] sum = sums.computeIfAbsent(loss.level + (loss.lagging
                            ? ", replica lags" : ", replica in step"), none -> new int[5]);
                    sum[0]++;
                    sum[1] += loss.answered;
                    sum[2] += loss.unknown;
                    sum[3] += loss.lost;
                    sum[4] += loss.lost > 0 ? 1 : 0;
                }
            }
        }
        System.out.println("| durability | kills | answered | unknown | lost | kills that lost |");
        System.out.println("|---|--:|--:|--:|--:|--:|");
        sums.forEach((name, sum) -> System.out.printf("| %s | %d | %d | %d | %d | %d |%n", name,
                sum[0], sum[1], sum[2], sum[3], sum[4]));
        long broken = sums.entrySet().stream().filter(each -> each.getKey().startsWith("replicas"))
                .mapToLong(each -> each.getValue()[3]).sum();
        System.exit(broken == 0 ? 0 : 1);
    }

    /** Kills the master of two new sales, one of each level, while a crowd buys both. */
    List<Loss> kill(boolean lagging) {
        round++;
        Map<String, String> sales = prepared();
        int slot = PARTITIONS.of(sales.get("redis")).slot();
        RedisNode master = cluster.masterOf(slot);
        RedisNode replica = cluster.replicasOf(slot).get(0);
        Map<String, Buyers> crowds = new LinkedHashMap<>();
        try {
            sales.forEach((level, sale) ->
                    crowds.put(level, new Buyers(pod.api(), sale, CLIENTS, "", 0)));
            crowds.forEach((level, buyers) -> Await.until(level + " sells", LIMIT,
                    () -> buyers.count(201) >= WARM, () -> buyers.statuses() + pod.log()));
            if (lagging) {
                replica.server().pause();
                master.command("CLIENT", "KILL", "TYPE", "REPLICA");
            }
            long before = crowds.get("redis").count(201);
            Await.until("purchases go on", LIMIT,
                    () -> crowds.get("redis").count(201) >= before + MISSED);
            master.server().kill();
            replica.server().resume();
            cluster.awaitFailover(slot, master);
        } finally {
            crowds.values().forEach(Buyers::close);
        }
        List<Loss> losses = LEVELS.stream().map(level -> loss(level, lagging, crowds.get(level),
                key(sales.get(level)))).toList();
        cluster.heal();
        return losses;
    }

    /** New sales by their level, both on one master. */
    private Map<String, String> prepared() {
        cluster.awaitReplicas();
        Map<String, String> sales = new LinkedHashMap<>();
        int port = 0;
        for (int i = 0; sales.size() < LEVELS.size(); i++) {
            String sale = "kills-" + round + "-" + i;
            int owner = cluster.masterOf(PARTITIONS.of(sale).slot()).port();
            if (sales.isEmpty() || owner == port) {
                port = owner;
                String level = LEVELS.get(sales.size());
                sales.put(level, sale);
                // The pod may still be recovering from the last kill.
                Await.until("sale " + sale + " is prepared", LIMIT, () -> List.of(200, 201)
                        .contains(pod.api().asOperator().put("/v1/sales/" + sale,
                                "{\"items\":[{\"sku\":\"x\",\"total\":1000000}],\"durability\":\""
                                + level + "\"}").status()), pod::log);
            }
        }
        return sales;
    }

    private static String key(String sale) {
        return PARTITIONS.of(sale).key("sale:" + sale + ":buyers");
    }

    private Loss loss(String level, boolean lagging, Buyers buyers, String key) {
        Set<String> known = new HashSet<>();
        try (Resp resp = environment.resp(key)) {
            for (Object record : resp.list("HVALS", key)) {
                // A line of a record is its state, then the order's id.
                ((String) record).lines().map(line -> line.split(" "))
                        .filter(words -> words.length > 1).forEach(words -> known.add(words[1]));
            }
        }
        Set<String> answered = buyers.orders();
        int unknown = (int) (buyers.count(504) + buyers.count(0));
        int all = answered.size();
        answered.removeAll(known);
        return new Loss(level, lagging, all, unknown, answered.size());
    }

    @Override
    public void close() {
        pod.close();
        cluster.close();
    }
}
