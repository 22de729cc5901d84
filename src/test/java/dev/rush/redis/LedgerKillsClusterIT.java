package dev.rush.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.RedisClusterNodes;
import dev.rush.testing.RedisNode;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** D1, I2: a failover of Redis that loses writes loses no order that was answered as confirmed. */
class LedgerKillsClusterIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Partitions PARTITIONS = new Partitions(64);
    private static final String SALE = "ledger-kills";
    private static final int CLIENTS = 8;
    /** How many purchases precede the kill, and how many the lagging replica misses at least. */
    private static final int WARM = 100;
    private static final int MISSED = 50;

    @Test
    @DisplayName("D1: a master killed while its replica lags loses no order under ledger")
    void killedMasterLosesNoConfirmedOrder() throws SQLException {
        try (RedisClusterNodes cluster =
                        RedisClusterNodes.start("--cluster-replica-validity-factor", "0")) {
            Environment environment = Environments.on("ledger-kills", cluster);
            try (Pod pod = Environments.startPod("ledger-kills", environment,
                    Map.of("rush.orders.sink", "postgres", "rush.rate-limit.enabled", "false"))) {
                lose(cluster, environment, pod);
            }
        }
    }

    private static void lose(RedisClusterNodes cluster, Environment environment, Pod pod)
            throws SQLException {
        cluster.awaitReplicas();
        Await.until("the sale is prepared", LIMIT, () -> List.of(200, 201).contains(
                pod.api().asOperator().put("/v1/sales/" + SALE, "{\"items\":[{\"sku\":\"x\","
                        + "\"total\":1000000}],\"durability\":\"ledger\"}").status()), pod::log);
        int slot = PARTITIONS.of(SALE).slot();
        RedisNode master = cluster.masterOf(slot);
        RedisNode replica = cluster.replicasOf(slot).get(0);
        Set<String> answered;
        try (Buyers buyers = new Buyers(pod.api(), SALE, CLIENTS)) {
            Await.until("it sells", LIMIT, () -> buyers.count(201) >= WARM,
                    () -> buyers.statuses() + pod.log());
            replica.server().pause();
            master.command("CLIENT", "KILL", "TYPE", "REPLICA");
            long before = buyers.count(201);
            Await.until("purchases go on", LIMIT, () -> buyers.count(201) >= before + MISSED);
            master.server().kill();
            replica.server().resume();
            cluster.awaitFailover(slot, master);
            long after = buyers.count(201);
            Await.until("it sells again", LIMIT, () -> buyers.count(201) >= after + MISSED,
                    () -> buyers.statuses() + pod.log());
            buyers.close();
            assertThat(buyers.statuses().keySet()).isSubsetOf(201, 503, 504);
            answered = buyers.orders();
        }
        assertThat(answered).hasSizeGreaterThan(WARM + 2 * MISSED);
        assertThat(answered).as("confirmed, and not in the ledger").isSubsetOf(
                confirmed(environment.ledgerUrl()));
    }

    private static Set<String> confirmed(String url) throws SQLException {
        Set<String> orders = new HashSet<>();
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement select = connection.prepareStatement(
                        "SELECT id FROM order_states WHERE sale = ? AND status = 'confirmed'")) {
            select.setString(1, SALE);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    orders.add(row.getString(1));
                }
            }
        }
        return orders;
    }
}
