package dev.rush.order;

import static dev.rush.testing.Answers.is;

import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.FaultyProxy;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** An order is confirmed while the writer moves it from Redis to the ledger. */
class ConfirmationIT {
    /** Makes a confirmation that finds nothing tell so, outside of its transaction. */
    private static final String COUNTED = """
            CREATE SEQUENCE looks;
            CREATE FUNCTION looked() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN PERFORM nextval(''looks''); RETURN NULL; END';
            CREATE TRIGGER looked AFTER UPDATE ON orders EXECUTE FUNCTION looked()""";
    /** The same, and makes it wait until the ledger has an order. */
    private static final String HELD = COUNTED.replace("RETURN NULL",
            "WHILE NOT EXISTS (SELECT 1 FROM orders) LOOP PERFORM pg_sleep(0.02); END LOOP; "
            + "RETURN NULL");

    private static CompletableFuture<Answer> confirm(TestSale sale, String order) {
        return sale.api().as("u").postAsync(sale.path() + "/orders/" + order + "/confirm", null);
    }

    private static void awaitLook(LedgerScene scene) {
        Await.until("the ledger was asked", LedgerScene.SOON,
                () -> scene.sql("SELECT is_called FROM looks").equals("t"));
    }

    private static TestSale prepare(LedgerScene scene, Pod api) {
        TestSale sale = TestSale.unknown(scene.environment(), api.api());
        sale.prepare("apple:10:1", "'paymentWindow':'PT10M'");
        return sale;
    }

    @Test
    @DisplayName("An order that is stored after the ledger and before Redis was asked is confirmed")
    void anOrderThatMovesBetweenTheTwoStoresIsConfirmed() throws SQLException {
        try (LedgerScene scene = new LedgerScene("confirmation");
                FaultyProxy proxy = FaultyProxy.before(
                        URI.create(scene.environment().redisHosts()).getPort());
                Pod api = scene.pod("confirmation-api", "rush.role", "api",
                        "quarkus.redis.hosts", "redis://127.0.0.1:" + proxy.port(),
                        "rush.redis.silence", "PT10S",
                        "quarkus.datasource.jdbc.additional-jdbc-properties.ApplicationName",
                        "confirming");
                Pod writer = scene.pod("confirmation-writer", "rush.role", "writer")) {
            TestSale sale = prepare(scene, api);
            CompletableFuture<Answer> confirmed;
            try (Connection held = scene.holdWriters(sale.id())) {
                String order = sale.bought("u", "apple");
                scene.sql(COUNTED);
                proxy.mode(FaultyProxy.Mode.BLACK_HOLE);
                confirmed = confirm(sale, order);
                awaitLook(scene);
                Await.until("it has found nothing there", LedgerScene.SOON, () -> scene.count(
                        "SELECT count(*) FROM pg_stat_activity WHERE state <> 'idle'"
                        + " AND application_name = 'confirming'") == 0);
            }
            scene.awaitOrders(sale.id(), "reserved", 1);
            scene.awaitDrained(sale.id());
            proxy.mode(FaultyProxy.Mode.PASS);

            is(200, confirmed.join());
        }
    }

    @Test
    @DisplayName("An order that is stored while the ledger is asked is confirmed")
    void anOrderThatIsStoredMeanwhileIsConfirmed() throws SQLException {
        try (LedgerScene scene = new LedgerScene("confirmation-2");
                Pod api = scene.pod("confirmation-2-api", "rush.role", "api");
                Pod writer = scene.pod("confirmation-2-writer", "rush.role", "writer")) {
            TestSale sale = prepare(scene, api);
            CompletableFuture<Answer> confirmed;
            try (Connection held = scene.holdWriters(sale.id())) {
                String order = sale.bought("u", "apple");
                scene.sql(HELD);
                confirmed = confirm(sale, order);
                awaitLook(scene);
            }

            is(200, confirmed.join());
            scene.awaitOrders(sale.id(), "confirmed", 1);
        }
    }
}
