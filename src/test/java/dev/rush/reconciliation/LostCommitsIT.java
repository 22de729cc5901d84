package dev.rush.reconciliation;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.dev.EmbeddedLedger;
import dev.rush.dev.Place;
import dev.rush.order.LedgerPods;
import dev.rush.testing.Await;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * PostgreSQL comes back without its last commits: they are restored from Redis, and no order that
 * may have been paid expires meanwhile.
 */
class LostCommitsIT {
    private static final String COPY = "restored_copy";

    private final EmbeddedLedger ledger = EmbeddedLedger.start();
    private LedgerPods pods;

    @AfterEach
    void stop() {
        if (pods != null) {
            pods.close();
        }
        ledger.close();
    }

    private void startPods(String name, String url) {
        pods = new LedgerPods(name, url, Map.of("rush.confirm-by", "buyer",
                "rush.expiry.interval", "PT0.1S", "rush.expiry.grace", "PT0S"));
    }

    private String order(String sale, String user) {
        return is(201, pods.buy(sale, user, "k-" + user)).body().path("order").asText();
    }

    private void confirm(String sale, String user, String order) {
        Await.until(order + " is confirmed", LedgerPods.SOON, () -> pods.api().as(user)
                .post("/v1/sales/" + sale + "/orders/" + order + "/confirm",
                        "{\"paymentReference\":\"pay-1\"}").status() == 200);
    }

    private void prepareRain(String rain) {
        String body = "{\"envelopes\":{\"amounts\":[9,4,5]}}";
        Await.until("the rain is prepared", LedgerPods.SOON, () -> pods.api().asOperator()
                .put("/v1/rains/" + rain, body).status() == 201);
    }

    /** Grabs, and waits until the ledger has this many grabs of the rain. */
    private void grab(String rain, String user, int stored) {
        is(201, pods.api().as(user).post("/v1/rains/" + rain + "/grabs", null));
        awaitGranted(rain, stored);
    }

    private void awaitGranted(String rain, int stored) {
        Await.until(stored + " grabs of " + rain + " are in the ledger", LedgerPods.SOON,
                () -> pods.count("SELECT COALESCE(sum(granted), 0) FROM rains WHERE rain = ?",
                        rain) == stored);
    }

    private void isBalanced(String path) {
        JsonNode books = is(200, pods.api().asOperator().get(path + "/books")).body();
        assertThat(books.path("verdict").asText()).as("%s", books).isEqualTo("balanced");
    }

    private String states(String sale) {
        return pods.text("SELECT string_agg(o.user_id || ' ' || status || CASE WHEN r.held THEN"
                + " ' held' ELSE '' END, ', ' ORDER BY o.user_id) FROM order_states o"
                + " LEFT JOIN reservations r ON r.order_id = o.id WHERE o.sale = ?", sale);
    }

    /** Runs statements as an administrator, after closing all other connections. */
    private void alone(String name, String... statements) {
        try (Connection connection = DriverManager.getConnection(ledger.url("postgres"));
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false");
            statement.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE datname = '" + name + "'");
            for (String each : statements) {
                statement.execute(each);
            }
            statement.execute("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Makes orders, grabs, a payment and a return before and after the instant to which PostgreSQL
     * goes back.
     *
     * @param keep marks that instant; later commits are lost
     * @param lose takes PostgreSQL back to it
     */
    private void lostCommitsComeBack(Runnable keep, Runnable lose) {
        String sale = pods.prepare("\"paymentWindow\":\"PT1H\",\"returnRestoresLimit\":false");
        String paid = order(sale, "early");
        String early = order(sale, "returner");
        pods.awaitStored(sale, 2);
        String rain = "rain-of-" + sale;
        prepareRain(rain);
        grab(rain, "early", 1);
        keep.run();
        confirm(sale, "early", paid);
        Await.until("it is returned", LedgerPods.SOON,
                () -> pods.giveBack(sale, "returner", early).status() == 200);
        order(sale, "late");
        pods.awaitStored(sale, 3);
        grab(rain, "late", 2);
        String lost = pods.prepare("");
        order(lost, "late");
        pods.awaitStored(lost, 1);
        String lostRain = "rain-of-" + lost;
        prepareRain(lostRain);
        grab(lostRain, "late", 1);
        lose.run();
        String back = "early confirmed, late reserved held, returner returned";
        Await.until("all is back", LedgerPods.SOON, () -> back.equals(statesOrFault(sale)),
                () -> statesOrFault(sale) + pods.first().log() + pods.second().log());
        Await.until("it is no longer behind", LedgerPods.SOON, () -> pods.count(
                "SELECT count(*) FROM partitions WHERE behind_since IS NOT NULL AND partition = ?",
                LedgerPods.partition(sale)) == 0);
        assertThat(pods.text("SELECT reference FROM steps WHERE order_id = ?::uuid", paid))
                .isEqualTo("pay-1");
        pods.awaitStored(lost, 1);
        awaitGranted(rain, 2);
        awaitGranted(lostRain, 1);
        isBalanced("/v1/sales/" + lost);
        isBalanced("/v1/rains/" + rain);
        isBalanced("/v1/rains/" + lostRain);
        JsonNode books = is(200, pods.books(sale)).body();
        assertThat(books.path("held").asLong()).isEqualTo(1);
        assertThat(books.path("verdict").asText()).as("%s", books).isEqualTo("balanced");
        released(sale);
    }

    /** The order on hold expires once it is released, and the audit says who released it. */
    private void released(String sale) {
        String holds = "/v1/sales/" + sale + "/holds";
        JsonNode held = is(200, pods.api().asOperator().get(holds)).body();
        assertThat(held.path("held").asLong()).isEqualTo(1);
        assertThat(held.at("/holds/0/user").asText()).isEqualTo("late");
        String order = held.at("/holds/0/order").asText();
        refused(pods.api().asOperator().post(holds + "/release",
                "{\"order\":\"" + UUID.randomUUID() + "\"}"), "unknown-order");
        refused(pods.api().asOperator().post(holds + "/release", "{\"order\":\"1-1-1-1-1\"}"),
                "invalid-request");
        refused(pods.api().asOperator().post("/v1/sales/none/holds/release"), "unknown-sale");
        JsonNode done = is(200, pods.api().asOperator().post(holds + "/release",
                "{\"order\":\"" + order + "\",\"cause\":\"never paid\"}")).body();
        assertThat(done.path("released").asInt()).isEqualTo(1);
        assertThat(done.path("held").asInt()).isZero();
        assertThat(is(200, pods.api().asOperator().post(holds + "/release")).body()
                .path("released").asInt()).isZero();
        assertThat(pods.text("SELECT string_agg(concat_ws(' ', split_part(actor, ':', 1), action,"
                + " cause), ',') FROM audit WHERE subject = ?", sale + "/" + order))
                .isEqualTo("operator order.hold-released never paid");
        // Orders that were due long ago are looked up only once a minute.
        assertThat(pods.update("UPDATE reservations SET pay_by_ms ="
                + " (extract(epoch FROM now()) * 1000)::bigint - 1000 WHERE order_id = ?::uuid",
                order)).isEqualTo(1);
        Await.until("it expires", LedgerPods.SOON,
                () -> states(sale).contains("late expired"), () -> states(sale));
    }

    /** PostgreSQL may still be coming back. */
    private String statesOrFault(String sale) {
        try {
            return states(sale);
        } catch (IllegalStateException e) {
            return e.getMessage();
        }
    }

    @Test
    @DisplayName("I6, I12: an older copy of the ledger is refilled, with reservations on hold")
    void olderCopyIsRestored() {
        String url = ledger.freshDatabase();
        String name = url.replaceAll(".*/|[?].*", "");
        startPods("restored", url);
        lostCommitsComeBack(
                () -> alone(name, "CREATE DATABASE " + COPY + " TEMPLATE " + name),
                () -> {
                    alone(name, "ALTER DATABASE " + name + " RENAME TO lost",
                            "ALTER DATABASE " + COPY + " RENAME TO " + name);
                    // Another process would serve it.
                    Await.until("the copy is served", LedgerPods.SOON,
                            () -> pods.update("UPDATE ledger SET server = 0") == 1);
                });
    }

    @Test
    @DisplayName("I6, I12: a promoted standby that lagged is refilled, with reservations on hold")
    void standbyThatLaggedIsPromoted() {
        String url = ledger.freshDatabase();
        try (EmbeddedLedger standby = ledger.follower(Place.anywhere())) {
            startPods("promoted", url.replaceFirst(":(\\d+)/",
                    ":$1,127.0.0.1:" + standby.port() + "/") + "&targetServerType=primary");
            lostCommitsComeBack(standby::stopFollowing, () -> {
                ledger.stopImmediately();
                standby.promote();
            });
            pods.close();
            pods = null;
        }
    }
}
