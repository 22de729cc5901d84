package dev.rush.redis;

import static dev.rush.testing.Answers.is;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rush.redis.Buyers.Purchase;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Command;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.RedisClusterNodes;
import dev.rush.testing.RedisNode;
import dev.rush.testing.Resp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A sale whose slot moves to another master. Redis runs a script only where all of its keys are,
 * so a sale can be sold before the first of its keys leaves and after the last has arrived.
 */
class SlotMigrationIT {

    private static final Set<Integer> HONEST = Set.of(201, 503, 504);
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Partitions PARTITIONS = new Partitions(64);
    private static RedisClusterNodes cluster;
    private static Environment environment;
    private static Pod pod;

    @BeforeAll
    static void start() {
        cluster = RedisClusterNodes.start();
        environment = Environments.on("migration", cluster);
        pod = Environments.startPod("migration", environment,
                Map.of("rush.rate-limit.enabled", "false"));
    }

    @AfterAll
    static void stop() {
        pod.close();
        cluster.close();
    }

    @Test
    void saleIsSoldBeforeItsFirstKeyLeavesAndAfterItsLastArrives() {
        String sale = prepare("by-hand", 63);
        int slot = PARTITIONS.of(sale).slot();
        RedisNode source = cluster.masterOf(slot);
        RedisNode target = other(source);
        target.command("CLUSTER", "SETSLOT", slot(slot), "IMPORTING", source.id());
        source.command("CLUSTER", "SETSLOT", slot(slot), "MIGRATING", target.id());

        is(201, buy(sale, "before"));
        assertControlled(sale);
        List<String> keys = keys(source, slot);
        move(source, target, keys.subList(0, keys.size() / 2));
        assertThat(buy(sale, "between").word()).as("no node can run the script now")
                .isEqualTo("unavailable");
        move(source, target, keys.subList(keys.size() / 2, keys.size()));
        assertThat(keys(source, slot)).as("nothing is left behind").isEmpty();
        is(201, buy(sale, "after"));
        assertControlled(sale);
        assertThat(keys(source, slot)).as("nothing is created where the keys were").isEmpty();

        for (RedisNode node : List.of(target, source)) {
            node.command("CLUSTER", "SETSLOT", slot(slot), "NODE", target.id());
        }
        Await.until("the slot has moved", SOON, () -> cluster.masterOf(slot).equals(target));
        is(201, buy(sale, "between"));
        Answer again = is(201, buy(sale, "before"));
        assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(sold(sale)).isEqualTo(3);
    }

    @Test
    void reshardingBackAndForthUnderLoadLosesAndOversellsNothing() {
        assumeTrue(Command.isInstalled("redis-cli"),
                "redis-cli is not installed, so nothing can be resharded");
        // The first partition lies in the lowest slots, which a reshard moves first.
        String sale = prepare("reshard", 0);
        int slot = PARTITIONS.of(sale).slot();
        RedisNode source = cluster.masterOf(slot);
        RedisNode target = other(source);
        try (Buyers buyers = new Buyers(pod.api(), sale, 4)) {
            Await.until("purchases flow", SOON, () -> buyers.count(201) > 50);
            for (RedisNode to : List.of(target, source)) {
                long before = buyers.count(201);
                reshard(cluster.masterOf(slot), to, slot + 1);
                assertThat(buyers.count(201)).as("sold meanwhile").isGreaterThan(before);
                Await.until("purchases flow on " + to, SOON, () ->
                        cluster.masterOf(slot).equals(to) && buyers.count(201) > before + 50);
            }
            buyers.close();
            assertConsistent(buyers, sale);
        }
    }

    /** Reading, pausing and resuming work. */
    private static void assertControlled(String sale) {
        Api operator = pod.api().asOperator();
        is(200, operator.get("/v1/sales/" + sale));
        is(200, operator.post("/v1/sales/" + sale + "/pause", "{}"));
        is(200, operator.post("/v1/sales/" + sale + "/resume", "{}"));
    }

    private static void assertConsistent(Buyers buyers, String sale) {
        assertThat(HONEST).as("%s", buyers.statuses()).containsAll(buyers.statuses().keySet());
        Set<String> orders = buyers.orders();
        assertThat(orders).hasSize((int) buyers.count(201));
        for (Purchase unknown : buyers.with(504)) {
            Purchase again = buyers.buy(unknown.user(), unknown.key());
            assertThat(again.status()).as("a retry with the same key decides").isEqualTo(201);
            orders.add(again.order());
        }
        assertThat(sold(sale)).as("%s", buyers.statuses()).isEqualTo(orders.size());
        for (Purchase bought : buyers.with(201).stream().limit(50).toList()) {
            is(200, pod.api().as(bought.user()).get(
                    "/v1/sales/" + sale + "/orders/" + bought.order()));
        }
    }

    /** Prepares a sale of a million units in a partition. */
    private static String prepare(String name, int partition) {
        int n = 0;
        while (PARTITIONS.of(name + "-" + n).index() != partition) {
            n++;
        }
        String sale = name + "-" + n;
        is(201, pod.api().asOperator().put("/v1/sales/" + sale,
                "{\"items\":[{\"sku\":\"x\",\"total\":1000000}]}"));
        return sale;
    }

    private static Answer buy(String sale, String user) {
        return pod.api().as(user).key("key")
                .post("/v1/sales/" + sale + "/purchases", "{\"items\":[{\"sku\":\"x\"}]}");
    }

    private static long sold(String sale) {
        String stock = PARTITIONS.of(sale).key("sale:" + sale + ":stock");
        try (Resp resp = environment.resp(stock)) {
            return Long.parseLong(resp.text("HGET", stock, "x:ordered"));
        }
    }

    private static RedisNode other(RedisNode master) {
        return cluster.masters().stream().filter(node -> node != master).findFirst().orElseThrow();
    }

    private static String slot(int slot) {
        return Integer.toString(slot);
    }

    private static List<String> keys(RedisNode node, int slot) {
        List<String> keys = new ArrayList<>();
        ((List<?>) node.command("CLUSTER", "GETKEYSINSLOT", slot(slot), "1000"))
                .forEach(key -> keys.add((String) key));
        keys.sort(null);
        return keys;
    }

    private static void move(RedisNode source, RedisNode target, List<String> keys) {
        List<String> words = new ArrayList<>(List.of("MIGRATE", "127.0.0.1",
                Integer.toString(target.port()), "", "0", "20000", "KEYS"));
        words.addAll(keys);
        try (Resp resp = source.resp()) {
            assertThat(resp.command(words.toArray(String[]::new))).isEqualTo("OK");
        }
    }

    private static void reshard(RedisNode source, RedisNode target, int slots) {
        cluster.awaitAgreement();
        Command.run("redis-cli", "--cluster", "reshard", "127.0.0.1:" + source.port(),
                "--cluster-from", source.id(), "--cluster-to", target.id(),
                "--cluster-slots", Integer.toString(slots), "--cluster-yes");
    }
}
