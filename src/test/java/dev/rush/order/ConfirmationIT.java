package dev.rush.order;

import static dev.rush.testing.Answers.is;

import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import dev.rush.testing.FaultyProxy;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** An order is confirmed while the writer moves it from Redis to the ledger. */
class ConfirmationIT {
    private static LedgerScene scene;
    private static FaultyProxy proxy;
    private static Pod api;
    private static Pod writer;

    /** The pod of the API outlasts calls that wait for seconds, for Redis and for a lock. */
    @BeforeAll
    static void start() {
        scene = new LedgerScene("confirmation");
        proxy = FaultyProxy.before(URI.create(scene.environment().redisHosts()).getPort());
        List<Pod> pods = Environments.startTogether(() -> scene.pod("confirmation-api",
                "rush.role", "api", "quarkus.redis.hosts", "redis://127.0.0.1:" + proxy.port(),
                "rush.redis.silence", "PT10S", "rush.ledger.lock-timeout", "PT9S",
                "quarkus.datasource.jdbc.additional-jdbc-properties.ApplicationName",
                "confirming"), () -> scene.pod("confirmation-writer", "rush.role", "writer"));
        api = pods.get(0);
        writer = pods.get(1);
    }

    @AfterAll
    static void stop() {
        api.close();
        writer.close();
        proxy.close();
        scene.close();
    }

    private static CompletableFuture<Answer> confirm(TestSale sale, String order) {
        return sale.api().as("u").postAsync(sale.path() + "/orders/" + order + "/confirm", null);
    }

    /**
     * Blocks callers that found no order in the ledger and look for it among the rejected ones,
     * until the connection is closed.
     */
    private static Connection holdLookups() throws SQLException {
        Connection connection = DriverManager.getConnection(scene.ledgerUrl());
        connection.setAutoCommit(false);
        try (Statement lock = connection.createStatement()) {
            lock.execute("LOCK TABLE rejected IN ACCESS EXCLUSIVE MODE");
        }
        return connection;
    }

    private static void awaitLookup() {
        Await.until("a lookup waits", LedgerScene.SOON, () -> scene.count("SELECT count(*)"
                + " FROM pg_locks l JOIN pg_class c ON c.oid = l.relation"
                + " WHERE NOT l.granted AND c.relname LIKE 'rejected%'") > 0);
    }

    private static TestSale prepare() {
        TestSale sale = TestSale.unknown(scene.environment(), api.api());
        sale.prepare("apple:10:1", "'paymentWindow':'PT10M'");
        return sale;
    }

    @Test
    @DisplayName("An order that is stored between the lookups in the ledger and Redis is confirmed")
    void anOrderThatMovesBetweenTheTwoStoresIsConfirmed() throws SQLException {
        TestSale sale = prepare();
        CompletableFuture<Answer> confirmed;
        try (Connection held = scene.holdWriters(sale.id())) {
            String order = sale.bought("u", "apple");
            proxy.mode(FaultyProxy.Mode.BLACK_HOLE);
            try (Connection lookups = holdLookups()) {
                confirmed = confirm(sale, order);
                awaitLookup();
            }
            Await.until("the lookup has found nothing", LedgerScene.SOON, () -> scene.count(
                    "SELECT count(*) FROM pg_stat_activity WHERE state <> 'idle'"
                    + " AND application_name = 'confirming'") == 0);
        }
        scene.awaitOrders(sale.id(), "reserved", 1);
        scene.awaitDrained(sale.id());
        proxy.mode(FaultyProxy.Mode.PASS);

        is(200, confirmed.join());
    }

    @Test
    @DisplayName("An order that is stored while the ledger is asked is confirmed")
    void anOrderThatIsStoredMeanwhileIsConfirmed() throws SQLException {
        TestSale sale = prepare();
        CompletableFuture<Answer> confirmed;
        try (Connection held = scene.holdWriters(sale.id())) {
            String order = sale.bought("u", "apple");
            try (Connection lookups = holdLookups()) {
                confirmed = confirm(sale, order);
                awaitLookup();
                held.rollback();
                Await.until("it is stored", LedgerScene.SOON, () -> scene.count(
                        "SELECT count(*) FROM orders WHERE sale = '" + sale.id() + "'") == 1);
            }
        }

        is(200, confirmed.join());
        scene.awaitOrders(sale.id(), "confirmed", 1);
    }
}
