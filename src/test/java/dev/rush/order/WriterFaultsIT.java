package dev.rush.order;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import dev.rush.testing.Patience;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Writers and PostgreSQL fail while a crowd buys through a pod that does not write. Afterwards the
 * ledger must have every accepted order exactly once.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class WriterFaultsIT {
    private static final int CONCURRENCY = 16;
    private static final int CROWD_MIN = 200;

    private static EmbeddedLedger ledger;
    private static LedgerScene scene;
    private static Pod api;
    private static Pod first;
    private static Pod second;

    @BeforeAll
    static void start() {
        ledger = EmbeddedLedger.start();
        scene = new LedgerScene("faults", ledger.freshDatabase());
        List<Pod> pods = Environments.startTogether(() -> pod("faults-api", "api"),
                () -> pod("faults-writer-1", "writer"), () -> pod("faults-writer-2", "writer"));
        api = pods.get(0);
        first = pods.get(1);
        second = pods.get(2);
    }

    private static Pod pod(String name, String role) {
        return scene.pod(name, "rush.role", role, "rush.expiry.grace", "PT8S");
    }

    @AfterAll
    static void stop() {
        List.of(api, first, second).forEach(Pod::close);
        scene.close();
        ledger.close();
    }

    private static TestSale sale(String items) {
        TestSale sale = TestSale.unknown(scene.environment(), api.api());
        sale.prepare(items, "");
        return sale;
    }

    /** A crowd of over 200 buys until the fault is over. Returns the orders of its answers. */
    private static Set<String> buyDuring(TestSale sale, Duration after, Runnable fault) {
        Set<String> orders = ConcurrentHashMap.newKeySet();
        Set<String> others = ConcurrentHashMap.newKeySet();
        CompletableFuture<Void> over = CompletableFuture.runAsync(() -> {
            Await.sleep(700);
            fault.run();
            Await.sleep(after.toMillis());
        });
        int round = 0;
        while (!over.isDone() || others.isEmpty() && orders.size() <= CROWD_MIN) {
            int from = round++ * 100;
            Api.rush(100, CONCURRENCY, i -> sale.buyAsync("user" + (from + i), "apple"))
                    .forEach(answer -> take(answer, orders, others));
        }
        over.join();
        assertThat(others).as("answers other than 201").isEmpty();
        assertThat(orders).as("orders").hasSizeGreaterThan(CROWD_MIN);
        return orders;
    }

    private static void take(Answer answer, Set<String> orders, Set<String> others) {
        if (answer.status() == 201) {
            orders.add(answer.body().path("order").asText());
        } else {
            others.add(answer.toString());
        }
    }

    private static void assertStoredOnce(TestSale sale, Set<String> orders) {
        scene.awaitOrders(sale.id(), "confirmed", orders.size());
        scene.awaitDrained(sale.id());
        Set<String> stored = new HashSet<>(List.of(scene.sql(
                "SELECT string_agg(id::text, ',') FROM orders WHERE sale = '" + sale.id() + "'")
                .split(",")));
        assertThat(stored).isEqualTo(orders);
        assertThat(scene.count("SELECT sold FROM items WHERE sale = '" + sale.id() + "'"))
                .isEqualTo(orders.size());
        assertThat(scene.count("SELECT count(*) FROM retries")).isZero();
        assertThat(scene.orders(sale.id(), "rejected")).isZero();
    }

    private static String holder(TestSale sale) {
        return scene.sql("SELECT holder FROM leases WHERE partition = "
                + sale.partition().index() + " AND until > now()");
    }

    @Test
    @DisplayName("O2, I5, I6: another writer replaces a killed one; each order is stored once")
    void killedWriterIsTakenOver() {
        Await.until("both writers share the partitions", LedgerScene.SOON, () -> scene.count(
                "SELECT count(DISTINCT holder) FROM leases WHERE until > now()") == 2);
        TestSale sale = sale("apple:1000000:1");
        String before = holder(sale);
        // Either writer may hold the partition, so both are killed, one after the other.
        Set<String> orders = buyDuring(sale, Duration.ofSeconds(1), () -> {
            first.kill();
            Await.sleep(1_500);
            first = pod("faults-writer-1b", "writer");
            second.kill();
            Await.sleep(1_500);
        });
        assertStoredOnce(sale, orders);
        assertThat(holder(sale)).isNotEqualTo(before);
        Await.until("the backlog is empty", LedgerScene.SOON,
                () -> first.metric("rush_ledger_backlog") == 0);
        second = pod("faults-writer-2b", "writer");
    }

    @Test
    @DisplayName("O2, I5: two writers that both claim a partition store each order once")
    void rivalWritersStoreEachOrderOnce() {
        TestSale sale = sale("apple:1000000:1");
        String lease = " WHERE partition = " + sale.partition().index();
        Set<String> orders = buyDuring(sale, Duration.ofSeconds(1), () -> {
            for (int i = 0; i < 5; i++) {
                // As if another writer had it: the holder goes on reading until its next renewal.
                scene.sql("WITH taken AS (UPDATE partitions SET token = token + 1" + lease
                        + ") UPDATE leases SET until = now() + interval '300 ms',"
                        + " holder = 'another'" + lease);
                Await.sleep(500);
            }
        });
        assertStoredOnce(sale, orders);
    }

    @Test
    @DisplayName("O2, I5: a writer that has not noticed the loss of its partition stores nothing")
    void writerThatHasNotNoticedStoresNothing() throws SQLException {
        TestSale sale = sale("apple:10:0");
        sale.bought("711", "apple");
        scene.awaitOrders(sale.id(), "confirmed", 1);
        int partition = sale.partition().index();
        String lease = " WHERE partition = " + partition;
        try (Connection connection = DriverManager.getConnection(scene.ledgerUrl());
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            // A renewal, by which the holder would notice, begins with its row of this table.
            statement.execute("SELECT 1 FROM writers FOR UPDATE");
            scene.sql("WITH taken AS (UPDATE partitions SET token = token + 1" + lease
                    + ") UPDATE leases SET until = 'infinity', holder = 'another'" + lease);
            sale.bought("711", "apple");
            Await.until("the former holder is stopped", LedgerScene.SOON,
                    () -> (first.log() + second.log())
                            .contains("Partition " + partition + " is another writer's now"));
            assertThat(scene.orders(sale.id(), "confirmed")).isEqualTo(1);
            connection.rollback();
        }
        scene.sql("UPDATE leases SET until = 'epoch'" + lease);
        scene.awaitOrders(sale.id(), "confirmed", 2);
    }

    @Test
    @DisplayName("O2, O4, I15: while PostgreSQL is down, purchases go on; then all are stored")
    void purchasesGoOnWithoutPostgres() {
        TestSale sale = sale("apple:1000000:1");
        Set<String> orders = buyDuring(sale, Duration.ofMillis(500), () -> {
            ledger.stopImmediately();
            String order = sale.bought("alone", "apple");
            is(200, sale.api().as("alone").get(sale.path() + "/orders/" + order));
            refused(sale.api().as("alone").get(sale.path() + "/orders"), "unavailable");
            refused(sale.api().asOperator().post(
                    sale.path() + "/orders/" + order + "/confirm"), "unavailable");
            refused(sale.api().asOperator().put("/v1/sales/" + TestSale.fresh("sale"),
                    TestSale.definition("apple:1:1", "")), "unavailable");
            Await.until("the backlog is measured", LedgerScene.SOON,
                    () -> first.metric("rush_ledger_backlog")
                            + second.metric("rush_ledger_backlog") > 0);
            ledger.restart();
        });
        scene.awaitDrained(sale.id());
        orders.add(scene.sql("SELECT id FROM order_states WHERE user_id = 'alone' AND sale = '"
                + sale.id() + "'"));
        assertStoredOnce(sale, orders);
        Await.until("the backlog is empty", LedgerScene.SOON,
                () -> first.metric("rush_ledger_backlog") == 0
                        && second.metric("rush_ledger_backlog") == 0
                        && first.metric("rush_ledger_lag_seconds") == 0);
    }

    @Test
    @DisplayName("O4, I6: while PostgreSQL is frozen, purchases go on, and calls that need it are "
            + "answered in time; then all are stored")
    void frozenPostgresDelaysNoPurchase() {
        TestSale sale = sale("apple:1000000:1");
        Set<String> orders = buyDuring(sale, Duration.ofSeconds(1), () -> {
            ledger.pause();
            try {
                String order = sale.bought("alone", "apple");
                is(200, sale.api().as("alone").get(sale.path() + "/orders/" + order));
                assertThat(sale.api().asOperator().post(
                        sale.path() + "/orders/" + order + "/confirm").word())
                        .isIn("unavailable", "outcome-unknown");
            } finally {
                ledger.resume();
            }
        });
        scene.awaitDrained(sale.id());
        orders.add(scene.sql("SELECT id FROM order_states WHERE user_id = 'alone' AND sale = '"
                + sale.id() + "'"));
        assertStoredOnce(sale, orders);
    }

    @Test
    @DisplayName("O3, O4: a locked table delays no purchase and makes no dead letters")
    void lockedLedgerDelaysNoPurchase() throws SQLException {
        TestSale sale = sale("apple:1000000:1");
        try (Connection connection = DriverManager.getConnection(scene.ledgerUrl());
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("LOCK TABLE orders IN ACCESS EXCLUSIVE MODE");
            Set<String> orders = buyDuring(sale, Duration.ofSeconds(5), () -> {
                String order = sale.bought("alone", "apple");
                long start = System.nanoTime();
                refused(sale.api().asOperator().post(
                        sale.path() + "/orders/" + order + "/confirm"), "unavailable");
                assertThat(Duration.ofNanos(System.nanoTime() - start))
                        .isLessThan(Patience.of(Duration.ofSeconds(10)));
            });
            connection.rollback();
            scene.awaitDrained(sale.id());
            orders.add(scene.sql("SELECT id FROM orders WHERE user_id = 'alone' AND sale = '"
                    + sale.id() + "'"));
            assertStoredOnce(sale, orders);
        }
    }

    @Test
    @DisplayName("R1: nothing expires during an outage of the ledger or its grace period")
    void nothingExpiresWhileNobodyCanPay() {
        TestSale sale = TestSale.unknown(scene.environment(), api.api());
        sale.prepare("apple:10:1", "'paymentWindow':'PT5S'");
        String order = sale.bought("711", "apple");
        scene.awaitOrders(sale.id(), "reserved", 1);
        ledger.stopImmediately();
        Await.sleep(5_500);
        ledger.restart();
        Await.sleep(1_000);
        assertThat(scene.orders(sale.id(), "reserved")).isEqualTo(1);
        Await.until("the payment is accepted", LedgerScene.SOON, () -> sale.api().as("711")
                .post(sale.path() + "/orders/" + order + "/confirm").status() == 200);
        sale.bought("712", "apple");
        scene.awaitOrders(sale.id(), "expired", 1);
    }

    @Test
    @Order(1)
    @DisplayName("Idle writers send Redis fewer than 20 commands a second each")
    void idlePodIsQuiet() {
        Await.until("idle readers have backed off", LedgerScene.SOON, () -> {
            long before = commands();
            long start = System.nanoTime();
            Await.sleep(2_000);
            double seconds = (System.nanoTime() - start) / 1e9;
            return (commands() - before) / seconds / 3 < 20;
        });
    }

    private static long commands() {
        String stats = (String) scene.redis("INFO", "stats");
        return stats.lines().filter(line -> line.startsWith("total_commands_processed:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
                .sum();
    }
}
