package dev.rush.reconciliation;

import static dev.rush.testing.Answers.is;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.order.LedgerPods;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.RedisClusterNodes;
import dev.rush.testing.RedisNode;
import dev.rush.testing.Resp;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A failover that really loses acknowledged writes: the replica of a sale's master is frozen and
 * cut off, the master goes on selling and is killed, and the replica wakes and is promoted with its
 * old data.
 */
class LossClusterIT {
    private static final Duration SOON = Duration.ofSeconds(40);
    private static final int TOTAL = 10;
    private static final String SALE = "lossy";

    private final Partition partition = new Partitions(64).of(SALE);
    private RedisClusterNodes cluster;
    private Environment environment;
    private Pod api;
    private Pod writer;

    @BeforeEach
    void start() {
        cluster = RedisClusterNodes.start("--cluster-replica-validity-factor", "0");
        environment = Environments.on("lossy", cluster);
        List<Pod> pods = Environments.startTogether(
                () -> pod("lossy-api", "api"), () -> pod("lossy-writer", "writer"));
        api = pods.get(0);
        writer = pods.get(1);
    }

    @AfterEach
    void stop() {
        api.close();
        writer.close();
        cluster.close();
    }

    private Pod pod(String name, String role) {
        Map<String, String> config = new HashMap<>(Map.of("rush.role", role,
                "rush.orders.sink", "postgres", "rush.writer.lease", "PT1S",
                "rush.books.interval", "PT1S", "rush.rate-limit.enabled", "false"));
        return Environments.startPod(name, environment, config);
    }

    private Api operator() {
        return api.api().asOperator();
    }

    private Answer buy(String user) {
        return buy(api, user);
    }

    private static Answer buy(Pod pod, String user) {
        return pod.api().as(user).key("key-" + user).post("/v1/sales/" + SALE + "/purchases",
                "{\"items\":[{\"sku\":\"apple\"}]}");
    }

    private void bought(int from, int to) {
        for (int i = from; i < to; i++) {
            is(201, buy("u" + i));
        }
    }

    private long count(String query) {
        return Long.parseLong(LedgerPods.select(environment.ledgerUrl(), query));
    }

    private long confirmed() {
        return count("SELECT count(*) FROM order_states WHERE status = 'confirmed'");
    }

    private void awaitDrained() {
        Await.until("the stream is drained", SOON, () -> {
            try (Resp resp = environment.resp(partition.key("orders"))) {
                return resp.number("XLEN", partition.key("orders")) == 0;
            }
        });
    }

    /** Keeps the writer from the sale's partition until the connection is closed. */
    private Connection holdWriter() throws SQLException {
        Connection held = DriverManager.getConnection(environment.ledgerUrl());
        held.setAutoCommit(false);
        try (Statement lock = held.createStatement()) {
            lock.execute("SELECT 1 FROM partitions WHERE partition = " + partition.index()
                    + " FOR UPDATE");
        }
        return held;
    }

    private void prepareAndSellFour() {
        Await.until("the sale is prepared", SOON, () -> List.of(200, 201).contains(
                operator().put("/v1/sales/" + SALE, "{\"items\":[{\"sku\":\"apple\",\"total\":"
                        + TOTAL + "}]}").status()));
        bought(0, 4);
        Await.until("four are stored", SOON, () -> confirmed() == 4);
        awaitDrained();
    }

    /** The replica has everything that the master has now, and nothing that follows. */
    private static void cutOff(RedisNode master, RedisNode replica) {
        replica.server().pause();
        master.command("CLIENT", "KILL", "TYPE", "REPLICA");
    }

    private void failOver(RedisNode master, RedisNode replica) {
        master.server().kill();
        replica.server().resume();
        cluster.awaitFailover(partition.slot(), master);
    }

    @Test
    @DisplayName("I6: a pod counts orders that Redis lost, even if others' orders have taken the "
            + "lost numbers before its next call")
    void lostNumbersThatWereGivenOutAgainAreCounted() {
        prepareAndSellFour();
        RedisNode master = cluster.masterOf(partition.slot());
        RedisNode replica = cluster.replicasOf(partition.slot()).get(0);
        try (Pod other = pod("lossy-other", "api")) {
            writer.kill();
            is(201, buy(other, "in-step"));
            cluster.awaitReplicas();
            cutOff(master, replica);
            is(201, buy(other, "lost-1"));
            is(201, buy(other, "lost-2"));

            failOver(master, replica);
            Await.until("a purchase is answered again", SOON, () -> buy("u5").status() == 201);
            bought(6, 8);
            assertThat(api.metric("rush_redis_sequence_lost_total")).isZero();
            Await.until("the other pod buys too", SOON, () -> buy(other, "u8").status() == 201);

            assertThat(other.metric("rush_redis_sequence_lost_total")).isEqualTo(2);
            writer = pod("lossy-writer-2", "writer");
            Await.until("orders that no store has are counted", SOON,
                    () -> writer.metric("rush_books_lost_total") == 2, writer::log);
            awaitDrained();
            assertThat(confirmed()).isEqualTo(9);
        }
    }

    @Test
    @DisplayName("I6: a Redis that is emptied right after a failover has lost orders twice")
    void lossRightAfterAnotherIsCountedToo() {
        prepareAndSellFour();
        RedisNode master = cluster.masterOf(partition.slot());
        RedisNode replica = cluster.replicasOf(partition.slot()).get(0);
        writer.kill();
        bought(4, 5);
        cluster.awaitReplicas();
        cutOff(master, replica);
        bought(5, 7);
        failOver(master, replica);
        Await.until("a purchase is answered again", SOON, () -> buy("u7").status() == 201);
        bought(8, 11);

        replica.command("FLUSHALL");
        Await.until("the pod notices", SOON, () -> {
            buy("u11");
            return api.metric("rush_redis_sequence_lost_total") == 2 + 9;
        });

        writer = pod("lossy-writer-2", "writer");
        Await.until("orders that no store has are counted", SOON,
                () -> writer.metric("rush_books_lost_total") == 7, () -> LedgerPods.select(
                        environment.ledgerUrl(), "SELECT string_agg(l::text, ' ') FROM losses l"));
    }

    @Test
    @DisplayName("B4, I1, I5, I6: lost orders are counted, those that a store has are deducted "
            + "again, nothing is oversold, and the books end balanced")
    void lossyFailoverIsNoticedCountedAndRepaired() throws SQLException {
        prepareAndSellFour();
        RedisNode master = cluster.masterOf(partition.slot());
        RedisNode replica = cluster.replicasOf(partition.slot()).get(0);
        try (Connection held = holdWriter()) {
            // In the stream on both nodes; the ledger will have it before the promoted one knows.
            bought(4, 5);
            cluster.awaitReplicas();
            cutOff(master, replica);
            held.rollback();
        }
        bought(5, 7);
        Await.until("they are stored", SOON, () -> confirmed() == 7);
        writer.kill();
        bought(7, 9);

        failOver(master, replica);
        Await.until("a purchase is answered again", SOON, () -> buy("first").status() != 503);
        assertThat(api.metric("rush_redis_sequence_lost_total")).as("numbers that went back")
                .isEqualTo(4);
        assertThat(api.log()).contains("Redis lost accepted orders of partition");
        // A crowd finds units on sale that two of the lost orders have in the ledger.
        Api.rush(20, 8, i -> api.api().as("crowd" + i).postAsync(
                "/v1/sales/" + SALE + "/purchases", "{\"items\":[{\"sku\":\"apple\"}]}"));
        writer = pod("lossy-writer-2", "writer");

        Await.until("orders that no store has are counted", SOON,
                () -> writer.metric("rush_books_lost_total") == 2, writer::log);
        awaitDrained();
        assertThat(count("SELECT count(*) FROM order_states WHERE user_id = 'u4'"))
                .as("the order that the promoted stream delivered again").isEqualTo(1);
        assertThat(count("SELECT count(*) FROM order_states WHERE user_id IN ('u7', 'u8')"))
                .isZero();
        assertThat(confirmed()).isLessThanOrEqualTo(TOTAL);
        Await.until("repair balances the books", SOON, () -> operator()
                .post("/v1/sales/" + SALE + "/books/repair").body().at("/books/verdict").asText()
                .equals("balanced"));
        assertThat(buy("u5").header("Idempotency-Replayed")).as("a restored key").isEqualTo("true");

        // The units that the crowd left are sold, and not one more.
        for (int i = 0; i < TOTAL; i++) {
            buy("late" + i);
        }
        assertThat(buy("latest").word()).isEqualTo("sold-out");
        awaitDrained();
        JsonNode books = is(200, operator().get("/v1/sales/" + SALE + "/books")).body();
        assertThat(books.path("verdict").asText()).as("%s", books).isEqualTo("balanced");
        assertThat(books.path("lost").asLong()).isEqualTo(2);
        assertThat(books.at("/items/0/confirmed").asLong()).as("%s", books).isEqualTo(TOTAL);
    }
}
