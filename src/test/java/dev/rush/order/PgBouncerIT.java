package dev.rush.order;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import dev.rush.testing.PgBouncer;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The ledger behind a real PgBouncer that pools transactions: each transaction may run in another
 * session, so the service relies on no session state, and its time limits hold nevertheless.
 */
class PgBouncerIT {
    private static final int POOL_SIZE = 3;
    private static final int BUYERS = 200;
    private static PgBouncer pooler;
    private static LedgerScene scene;
    private static Pod pod;

    @BeforeAll
    static void start() {
        boolean installed = PgBouncer.isInstalled();
        if (!installed) {
            System.out.println("No PgBouncer on this machine: its tests are skipped");
        }
        assumeTrue(installed, "no pgbouncer in /usr/sbin or /usr/bin");
        EmbeddedLedger ledger = Environments.ledger();
        pooler = PgBouncer.start(ledger.port(), POOL_SIZE);
        scene = new LedgerScene("pgbouncer", ledger.freshDatabase());
        // Migrations, too, go through the pooler.
        pod = scene.pod("pgbouncer", "quarkus.datasource.jdbc.url",
                pooler.through(scene.ledgerUrl()), "rush.ledger.lock-timeout", "PT1S",
                "rush.ledger.statement-timeout", "PT4S", "rush.ledger.deadline", "PT90S");
    }

    @AfterAll
    static void stop() {
        if (pod != null) {
            pod.close();
        }
        if (scene != null) {
            scene.close();
        }
        if (pooler != null) {
            pooler.close();
        }
    }

    private static TestSale sale(String items, String more) {
        TestSale sale = TestSale.unknown(scene.environment(), pod.api());
        sale.prepare(items, more);
        return sale;
    }

    @Test
    @DisplayName("Sells, stores, confirms, returns and balances over three pooled sessions")
    void wholeLifeOfOrdersGoesThroughPooledSessions() {
        TestSale sale = sale("apple:1000:0", "'paymentWindow':'PT1H'");
        Api operator = pod.api().asOperator();
        List<Answer> bought = Api.rush(BUYERS, 32, i -> sale.buyAsync("user" + i, "apple"));
        assertThat(bought).allMatch(answer -> answer.status() == 201);
        scene.awaitOrders(sale.id(), "reserved", BUYERS);
        // More at once than there are sessions.
        List<Answer> confirmed = Api.rush(BUYERS / 2, 32, i -> operator.postAsync(sale.path()
                + "/orders/" + order(bought.get(i)) + "/confirm", null));
        assertThat(confirmed).allMatch(answer -> answer.status() == 200);
        List<Answer> returned = Api.rush(BUYERS / 2, 32, i -> operator.postAsync(sale.path()
                + "/returns", "{\"order\":\"" + order(bought.get(BUYERS / 2 + i)) + "\"}"));
        assertThat(returned).allMatch(answer -> answer.status() == 200);
        Await.until("the books balance", LedgerScene.SOON, () -> {
            Answer books = is(200, operator.get(sale.path() + "/books"));
            return books.body().path("verdict").asText().equals("balanced")
                    && books.body().at("/items/0/confirmed").asLong() == BUYERS / 2
                    && books.body().at("/items/0/creditPending").asLong() == 0;
        }, () -> operator.get(sale.path() + "/books") + pod.log());
        assertThat(sale.left("apple")).isEqualTo(1_000 - BUYERS / 2);
    }

    private static String order(Answer bought) {
        return bought.body().path("order").asText();
    }

    @Test
    @DisplayName("A wait for a lock ends at rush.ledger.lock-timeout, before the caller gives up")
    void waitForLockEndsInTime() throws SQLException {
        TestSale sale = sale("apple:10:0", "");
        try (Connection connection = DriverManager.getConnection(scene.ledgerUrl());
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT 1 FROM items WHERE sale = '" + sale.id() + "' FOR UPDATE");
            refused(sale.total("apple", 20), "unavailable");
            connection.rollback();
        }
        is(200, sale.total("apple", 20));
    }

    @Test
    @DisplayName("A statement that hangs ends at rush.ledger.statement-timeout")
    void hungStatementEndsInTime() {
        TestSale sale = sale("apple:10:0", "");
        // As slow as a broken disk or a bad plan makes it.
        scene.sql("CREATE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                + " PERFORM pg_sleep(600); RETURN NEW; END $$");
        scene.sql("CREATE TRIGGER hang BEFORE UPDATE ON items FOR EACH ROW"
                + " WHEN (NEW.total = 4242) EXECUTE FUNCTION hang()");
        try {
            refused(sale.total("apple", 4_242), "unavailable");
        } finally {
            scene.sql("DROP TRIGGER hang ON items");
            scene.sql("DROP FUNCTION hang()");
        }
        is(200, sale.total("apple", 20));
    }
}
