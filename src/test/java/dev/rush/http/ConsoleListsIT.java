package dev.rush.http;

import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Await;
import dev.rush.testing.FaultyProxy;
import dev.rush.testing.Resp;
import dev.rush.testing.TestRain;
import dev.rush.testing.TestSale;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Orders, reservations on hold, events, webhooks and the audit in the operators' console. */
class ConsoleListsIT extends WithConsole {
    private static final String WINDOW = "'paymentWindow':'PT15M'";
    /** More than one page of the list. */
    private static final int ORDERS = 51;

    private static TestSale sale() {
        return TestSale.of(scene.environment(), "apple:99:0", WINDOW);
    }

    /** Waits until the ledger has an order. */
    private static String stored(TestSale sale, String user) {
        String order = sale.bought(user, "apple");
        Await.until("the ledger has " + order, Duration.ofSeconds(20), () -> sale.api().as(user)
                .get(sale.path() + "/orders/" + order).body().path("status").asText()
                .equals("reserved"));
        return order;
    }

    @Test
    @DisplayName("W1: orders are listed page by page, filtered, and saved as a file")
    void ordersAreListedAndSaved() {
        TestSale sale = sale();
        for (int i = 1; i < ORDERS; i++) {
            sale.bought("buyer-" + i, "apple");
        }
        String last = stored(sale, "=1+1");
        scene.operate("sales/" + sale.id() + "/orders");
        browser.await("tbody tr", last);
        scene.network(FaultyProxy.Mode.REFUSE);
        browser.choose("Older orders");
        browser.await(".tab .failure", "did not respond");
        scene.network(FaultyProxy.Mode.PASS);
        browser.errors();
        browser.choose("Older orders");
        browser.await("[role=status]", ORDERS + " orders, newest first");

        browser.type("[name=user]", "buyer-7");
        browser.choose("Find orders");
        browser.await("[role=status]", "1 order, newest first");
        browser.await("tbody", "buyer-7");
        browser.fill("[name=user]", "=1+1");
        browser.run("""
                window.saved = [];
                const make = URL.createObjectURL;
                URL.createObjectURL = blob => { saved.push(blob); return make(blob); };
                """);
        browser.choose("Save as CSV");
        browser.await(".tab", "orders-" + sale.id() + ".csv is saved");
        assertThat((String) browser.run("return { text: await saved[0].text() }").get("text"))
                .startsWith("order,sale,user").contains(last + "," + sale.id() + ",'=1+1,reserved")
                .doesNotContain("buyer-7");
        assertThat(scene.errors()).isEmpty();
    }

    @Test
    @DisplayName("W1: lists of sales and rains say that retired ones are missing while PostgreSQL "
            + "does not answer")
    void missingRetiredOnesAreNoted() throws SQLException {
        TestSale sale = sale();
        scene.operate("sales");
        browser.await("tbody tr", sale.id());
        browser.awaitGone(".notice");
        try (Connection ledger = DriverManager.getConnection(scene.environment().ledgerUrl());
                Statement statement = ledger.createStatement()) {
            ledger.setAutoCommit(false);
            statement.execute("LOCK TABLE sales, rains");
            browser.await(".notice", "sales that have left Redis are missing");
            browser.await("tbody tr", sale.id());
            scene.go("rains");
            browser.await(".notice", "rains that have left Redis are missing");
            scene.go("sales");
            browser.await(".notice", "sales that have left Redis are missing");
        }
        browser.awaitGone(".notice");
        browser.await("tbody tr", sale.id());
        assertThat(scene.errors()).isEmpty();
    }

    @Test
    @DisplayName("W1: an order's page shows its history, and follows it")
    void anOrderShowsItsHistory() {
        TestSale sale = sale();
        String user = fresh("user");
        String order = stored(sale, user);
        scene.open("orders");
        scene.signIn("payments", "payer");
        browser.await("h1", "Orders");
        browser.type("[name=sale]", sale.id());
        browser.type("[name=order]", order);
        browser.choose("Find the order");
        browser.await("tbody", "buyer:" + user);
        browser.choose("Confirm");
        browser.type(".ask [name=paymentReference]", "pay-4711");
        confirm("Confirm the payment", "1 × apple, ordered by " + user,
                "Confirm payment");
        browser.await(".badge", "confirmed");
        browser.await(".terms tbody", "payer:payments");
        browser.await(".terms tbody", "pay-4711");
    }

    @Test
    @DisplayName("W1: reservations on hold are listed and released")
    void holdsAreReleased() throws SQLException {
        TestSale sale = sale();
        String order = stored(sale, fresh("user"));
        try (Connection ledger = DriverManager.getConnection(scene.environment().ledgerUrl());
                PreparedStatement hold = ledger.prepareStatement(
                        "UPDATE reservations SET held = true WHERE sale = ?")) {
            hold.setString(1, sale.id());
            assertThat(hold.executeUpdate()).isEqualTo(1);
        }
        scene.operate("sales/" + sale.id() + "/holds");
        browser.await("tbody", order);
        browser.choose("Release");
        browser.type(".ask [name=cause]", "never paid");
        confirm("Release this reservation?", "loses the order", "Release the reservation");
        browser.await(".notice", "No reservations on hold");

        browser.choose("Audit");
        browser.await("tbody tr", "order.hold-released");
        browser.await("tbody tr", "never paid");
    }

    /** Whether the event is stored that the sale has opened. */
    private static boolean isOpened(TestSale sale) {
        try (Connection ledger = DriverManager.getConnection(scene.environment().ledgerUrl());
                PreparedStatement opened = ledger.prepareStatement(
                        "SELECT 1 FROM watched WHERE is_sale AND offer = ? AND opened")) {
            opened.setString(1, sale.id());
            return opened.executeQuery().next();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @DisplayName("W1: new events appear live, earlier ones on demand, and can be filtered")
    void eventsAppearLive() {
        TestSale sale = sale();
        String before = stored(sale, fresh("user"));
        Await.until("it has opened", Duration.ofSeconds(20), () -> isOpened(sale));
        scene.operate("events");
        browser.await(".empty", "No events");
        browser.await("#link", "Live");
        String order = sale.bought(fresh("user"), "apple");
        browser.await("tbody tr", order);
        assertThat(browser.run("return { rows: document.querySelectorAll('tbody tr').length }"))
                .containsEntry("rows", 1L);
        browser.choose("Back to the start");
        browser.await("tbody", before);
        browser.type("[name=text]", order);
        browser.awaitGone("[data-id='" + before + ".reserved']");
        browser.await("tbody", order);
        assertThat(scene.errors()).isEmpty();
    }

    @Test
    @DisplayName("W1: a webhook: created with its own secret, its deliveries, changed, removed")
    void aWholeWebhook() {
        TestSale sale = sale();
        String id = fresh("hook");
        scene.operate("webhooks");
        browser.choose("New webhook");
        browser.type(".ask [name=id]", id);
        browser.type(".ask [name=url]", "https://warehouse.invalid/rush");
        browser.choose("Generate");
        browser.await(".ask .effect", "not shown again");
        confirm("New webhook", "receives events from now on", "Create the webhook");
        browser.await("h1", id);
        browser.await(".pairs", "dev.rush.order.*");

        stored(sale, fresh("user"));
        Await.until("the delivery was tried", Duration.ofSeconds(20), () ->
                scene.environment().api().asOperator().get("/v1/webhooks/" + id + "/deliveries")
                        .body().toString().contains("the host is unknown"));
        browser.choose("Refresh");
        browser.await("tbody", "the host is unknown");
        browser.choose("Redeliver");
        confirm("Redeliver this event?", "The id stays the same", "Redeliver");
        browser.choose("Change");
        browser.fill(".ask [name=types]", "dev.rush.sale.sold-out");
        confirm("Change " + id, "go to the new address", "Change the webhook");
        browser.await(".pairs", "dev.rush.sale.sold-out");
        browser.choose("Remove");
        confirm("Remove " + id, "dropped", "Remove the webhook");
        browser.await("h1", "Webhooks");
        assertThat(scene.environment().api().asOperator().get("/v1/webhooks/" + id).status())
                .isEqualTo(404);
        assertThat(scene.errors()).isEmpty();
    }

    @Test
    @DisplayName("W1: the audit shows who changed what, and an auditor changes nothing")
    void theAuditShowsWho() {
        TestSale sale = sale();
        sale.control("pause");
        scene.open("audit");
        scene.signIn("ada", "auditor");
        browser.await("h1", "Audit");
        browser.type("[name=text]", sale.id());
        browser.await("tbody tr", "sale.paused");
        browser.await("tbody", "sale.prepared");
        sale.control("resume");
        browser.await("tbody tr", "sale.resumed");
        browser.choose(sale.id());
        browser.await("h1", sale.id());
        scene.go("webhooks");
        browser.await("h1", "Webhooks");
        browser.awaitGone("main button");
        assertThat(scene.errors()).isEmpty();
    }

    @Test
    @DisplayName("W1: health shows alarms with links to their remedies, the masters and the pods")
    void healthIsShown() {
        TestSale sale = sale();
        scene.operate("health");
        browser.await(".done", "No alarm");
        browser.await("main", "2 pods");
        browser.await("main", "Redis: 1 master");
        String stream = sale.partition().key("orders");
        try (Resp redis = scene.environment().resp(stream)) {
            redis.command("XADD", stream, "*", "kind", "nonsense");
        }
        browser.await(".alarm", "RushDeadLetters");
        browser.choose("Show details");
        browser.await("h1", "Dead letters");
        browser.await("tbody", "nonsense");
        assertThat(scene.errors()).isEmpty();
    }

    @Test
    @DisplayName("W1: outcomes of purchases and grabs are counted by word, over all pods")
    void outcomesAreCountedByWord() {
        TestSale sale = TestSale.of(scene.environment(), "apple:1:1", "");
        sale.bought(fresh("user"), "apple");
        scene.operate("sales/" + sale.id());
        browser.await("[data-word=accepted]", "1");
        assertThat(sale.buy(fresh("user"), "apple").word()).isEqualTo("sold-out");
        browser.await("[data-word=sold-out]", "Sold out");
        sale.buy(fresh("user"), "apple");
        browser.await("[data-word=sold-out]", "2");

        TestRain rain = TestRain.of(scene.environment(), 1, 5);
        rain.grabbed(fresh("user"));
        scene.go("rains/" + rain.id());
        browser.await("[data-word=accepted]", "1");
        assertThat(rain.grab(fresh("user")).word()).isEqualTo("empty");
        browser.await("[data-word=empty]", "Empty");
        assertThat(scene.errors()).isEmpty();
    }
}
