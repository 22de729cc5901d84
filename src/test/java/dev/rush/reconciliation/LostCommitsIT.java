package dev.rush.reconciliation;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.dev.EmbeddedLedger;
import dev.rush.dev.Place;
import dev.rush.order.LedgerPods;
import dev.rush.testing.Await;
import dev.rush.testing.BaseBackup;
import dev.rush.testing.Dump;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * PostgreSQL comes back without its last commits: they are restored from Redis, and no order that
 * may have been paid expires meanwhile.
 */
class LostCommitsIT {
    private static final int UNITS = 500;

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

    /**
     * Waits until this PostgreSQL is known to lack commits and the metric behind the alert
     * RushLedgerBehind shows it. Holds reservations meanwhile, or the refill might be faster.
     */
    private void awaitAlarm() {
        Await.until("the restored ledger answers", LedgerPods.SOON, () ->
                pods.count("SELECT count(*) FROM ledger WHERE one = ?", true) == 1);
        try (Connection held = pods.transaction(); Statement lock = held.createStatement()) {
            lock.execute("LOCK TABLE reservations IN EXCLUSIVE MODE");
            Await.until("the ledger is known to be behind", LedgerPods.SOON,
                    () -> pods.metric("rush_ledger_behind_partitions") > 0);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        assertThat(pods.first().log() + pods.second().log())
                .contains("The ledger has lost commits that Redis knows of");
        assertThat(pods.count("SELECT count(*) FROM audit WHERE action = ?", "ledger.behind"))
                .isPositive();
    }

    /** Each unit of the sale is sold, and to whom it was sold first. */
    private void isSoldOnce(Crowd crowd) {
        SortedMap<String, String> orders = crowd.untilSoldOut();
        assertThat(orders).hasSize(UNITS);
        assertThat(Set.copyOf(orders.values())).hasSize(UNITS);
        pods.awaitStored(crowd.sale(), UNITS);
        assertThat(pods.text("SELECT string_agg(user_id || '=' || id, ', ' ORDER BY user_id)"
                + " FROM order_states WHERE sale = ?", crowd.sale()))
                .isEqualTo(orders.toString().replaceAll("[{}]", ""));
        Await.until("no partition is behind", LedgerPods.SOON, () -> pods.count(
                "SELECT count(*) FROM partitions WHERE (behind_since IS NULL) <> ?", true) == 0);
        isBalanced("/v1/sales/" + crowd.sale());
        for (String user : List.of(orders.firstKey(), orders.lastKey())) {
            assertThat(order(crowd.sale(), user)).isEqualTo(orders.get(user));
        }
    }

    /**
     * Makes orders, grabs, a payment and a return before and after the instant to which PostgreSQL
     * goes back. Another sale goes on all the time, and sells out in the end.
     *
     * @param keep marks that instant; later commits are lost
     * @param lose takes PostgreSQL back to it
     */
    private void lostCommitsComeBack(Runnable keep, Runnable lose) {
        Crowd crowd = new Crowd(pods, UNITS);
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
        String brief = brief(sale);
        grab(rain, "late", 2);
        String lost = pods.prepare("");
        order(lost, "late");
        pods.awaitStored(lost, 1);
        String lostRain = "rain-of-" + lost;
        prepareRain(lostRain);
        grab(lostRain, "late", 1);
        lose.run();
        awaitAlarm();
        String back = "brief returned, early confirmed, late reserved held, returner returned";
        Await.until("all is back", LedgerPods.SOON, () -> back.equals(statesOrFault(sale)),
                () -> statesOrFault(sale) + pods.first().log() + pods.second().log());
        Await.until("it is no longer behind", LedgerPods.SOON, () -> pods.count(
                "SELECT count(*) FROM partitions WHERE behind_since IS NOT NULL AND partition = ?",
                LedgerPods.partition(sale)) == 0);
        for (String order : List.of(paid, brief)) {
            assertThat(pods.text("SELECT reference FROM steps WHERE step = 1"
                    + " AND order_id = ?::uuid", order)).isEqualTo("pay-1");
        }
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
        isSoldOnce(crowd);
    }

    /** Places an order that ends before the commits are lost: it is paid, returned and credited. */
    private String brief(String sale) {
        String order = order(sale, "brief");
        pods.awaitStored(sale, 4);
        confirm(sale, "brief", order);
        Await.until("it is returned", LedgerPods.SOON,
                () -> pods.giveBack(sale, "brief", order).status() == 200);
        Await.until("its units are back", LedgerPods.SOON, () -> pods.count("SELECT count(*)"
                + " FROM steps WHERE kind = 'credited' AND order_id = ?::uuid", order) == 1);
        return order;
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
    @DisplayName("I6, I12: a restored base backup is refilled, with reservations on hold")
    void baseBackupIsRestored() {
        startPods("backup", ledger.freshDatabase());
        AtomicReference<BaseBackup> backup = new AtomicReference<>();
        lostCommitsComeBack(() -> backup.set(BaseBackup.of(ledger)), () -> {
            ledger.stop();
            backup.get().restore();
            ledger.restart();
        });
    }

    /** As docs/operating.md says. */
    @Test
    @DisplayName("I6, I12: a dump in a new cluster is refilled, with reservations on hold")
    void dumpIsRestored() {
        String url = ledger.freshDatabase();
        startPods("dump", url);
        AtomicReference<Dump> dump = new AtomicReference<>();
        AtomicReference<EmbeddedLedger> cluster = new AtomicReference<>();
        try {
            lostCommitsComeBack(() -> dump.set(Dump.of(url)), () -> {
                ledger.stop();
                cluster.set(EmbeddedLedger.start(new Place(ledger.port(), null, Map.of())));
                restore(dump.get(), cluster.get(), url);
            });
        } finally {
            pods.close();
            pods = null;
            if (cluster.get() != null) {
                cluster.get().close();
            }
        }
    }

    /** Restores under another name first, so that no pod sees half of it. */
    private static void restore(Dump dump, EmbeddedLedger cluster, String url) {
        String name = url.replaceAll(".*/|[?].*", "");
        try (Connection admin = DriverManager.getConnection(cluster.url("postgres"));
                Statement statement = admin.createStatement()) {
            statement.execute("CREATE DATABASE restored");
            dump.restore(cluster.url("restored"));
            try (Connection connection = DriverManager.getConnection(cluster.url("restored"));
                    Statement mend = connection.createStatement()) {
                mend.execute("UPDATE sales SET changed = DEFAULT;"
                        + " UPDATE rains SET changed = DEFAULT");
            }
            statement.execute("ALTER DATABASE restored RENAME TO " + name);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
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
