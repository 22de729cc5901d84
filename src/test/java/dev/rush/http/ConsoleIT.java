package dev.rush.http;

import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.FaultyProxy;
import dev.rush.testing.TestRain;
import dev.rush.testing.TestSale;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The operators' console, driven in a real browser. */
class ConsoleIT extends WithConsole {
    /** Prepares a sale. */
    private static TestSale sale(String items, String more) {
        return TestSale.of(scene.environment(), items, more);
    }

    @Test
    @DisplayName("A whole sale: prepared by the form, sold, paused, raised, paid, audited, closed")
    void aWholeSale() {
        TestSale sale = TestSale.unknown(scene.environment());
        scene.operate("new/sale");
        browser.await("h1", "New sale");
        browser.type("[name=id]", sale.id());
        browser.type("[name=title]", "Apple night");
        browser.type("[name='items[0].sku']", "apple");
        browser.type("[name='items[0].total']", "5");
        browser.fill("[name='items[0].limitPerUser']", "2");
        browser.type("[name=paymentWindow]", "15");
        browser.choose("Prepare the sale …");
        confirm("Prepare Apple night?", "paid within 15 minutes", "Prepare the sale");

        browser.await("h1", "Apple night");
        browser.await(".badge", "Open");
        browser.await("#link", "Live");
        browser.await(".tiles", "5 of 5");
        String buyer = fresh("user");
        String order = sale.bought(buyer, "apple");
        browser.await(".tiles", "4 of 5");

        browser.choose("Pause");
        confirm("Pause Apple night?", "as “paused”", "Pause this sale");
        browser.await(".badge", "Paused");
        assertThat(sale.buy(fresh("user"), "apple").word()).isEqualTo("paused");
        browser.choose("Resume");
        confirm("Resume Apple night?", "Buyers can buy again", "Resume this sale");
        browser.await(".badge", "Open");

        browser.choose("Change total");
        browser.fill(".ask input", "8");
        confirm("Change the total of apple?", "7 will be left instead of 4", "Change the total");
        browser.await(".tiles", "7 of 8");

        browser.choose("Orders");
        browser.type("[name=user]", buyer);
        browser.choose("Find orders");
        browser.await("tbody th", order);
        browser.await("tbody .badge", "reserved");
        browser.choose("Confirm");
        confirm("Confirm the payment", "1 × apple, ordered by " + buyer, "Confirm payment");
        browser.await("tbody .badge", "confirmed");
        browser.choose("Return");
        confirm("Return this order?", "back on sale", "Return the order");
        browser.await("tbody .badge", "returned");

        browser.choose("Books");
        browser.await(".verdict", "Balanced");
        browser.choose("Live");
        browser.choose("Close permanently");
        confirm("Close Apple night permanently?", "8 of 8 units will remain unsold",
                "Close permanently");
        browser.await(".badge", "Closed");
        browser.choose("Sales");
        browser.await("[data-id='" + sale.id() + "']", "Closed");
        assertThat(scene.errors()).as("errors and breaches of the policy").isEmpty();
    }

    @Test
    @DisplayName("Errors in the form are shown at its fields, before and after sending")
    void formsShowErrorsAtTheirFields() {
        TestSale sale = sale("apple:5:1", "");
        scene.operate("new/sale?copy=" + sale.id());
        browser.await("h1", "A copy of " + sale.id());
        browser.type("[name=id]", fresh("sale"));
        set("[name=closesAt]", "1999-01-01T00:00:00");
        browser.choose("Prepare the sale …");
        browser.choose("Prepare the sale");
        browser.await(".ask .failure", "closesAt must be in the future");
        browser.choose("Cancel");
        assertThat(browser.run("return { says: document.querySelector('[name=closesAt]')"
                + ".validationMessage }")).containsValue("This must be in the future.");

        set("[name=closesAt]", "");
        browser.fill("[name=id]", sale.id());
        browser.fill("[name='items[0].total']", "6");
        browser.choose("Prepare the sale …");
        browser.choose("Prepare the sale");
        browser.await(".ask .failure", "another definition");
        browser.choose("Cancel");

        browser.fill("[name='items[0].total']", "1000000001");
        browser.choose("Prepare the sale …");
        assertThat(browser.run("return { valid: document.querySelector('.definition')"
                + ".checkValidity(), asked: document.querySelectorAll('.ask').length }"))
                .containsEntry("valid", false).containsEntry("asked", 0L);
    }

    @Test
    @DisplayName("Drift is explained, and a repair reports what it did")
    void driftIsExplainedAndRepaired() {
        TestSale sale = sale("apple:9:1", "");
        sale.redis("HINCRBY", sale.key("stock"), "apple:ordered", "2");
        scene.operate("sales/" + sale.id() + "/books");

        browser.await(".verdict", "Undersold");
        browser.await(".sums", "2 units are deducted that no order has");
        browser.choose("Repair");
        confirm("Repair the books", "apple: up to 2 units go back on sale", "Repair the books");
        browser.await(".done", "were undersold and are now balanced");
        browser.await(".sums", "put back on sale (2 units)");
        assertThat(sale.left("apple")).isEqualTo(9);
    }

    @Test
    @DisplayName("A rain: prepared by the form, grabbed, its leaders, its books, closed")
    void aWholeRain() {
        String id = fresh("rain");
        scene.operate("new/rain");
        browser.type("[name=id]", id);
        browser.type("[name=split]", "listed");
        browser.type("[name='envelopes.amounts']", "9 4 5");
        browser.choose("Prepare the rain …");
        confirm("Prepare " + id, "18 minor units in 3 envelopes", "Prepare the rain");
        browser.await(".tiles", "3 of 3");

        TestRain rain = TestRain.named(scene.environment(), id);
        String user = fresh("user");
        rain.grabbed(user);
        browser.await(".tiles", "9 of 18");
        browser.choose("Leaderboard");
        browser.await("tbody", user);
        browser.choose("Books");
        browser.await(".verdict", "Balanced");
        browser.choose("Live");
        browser.choose("Close permanently");
        confirm("Close", "2 envelopes with 9", "Close permanently");
        browser.await(".terms", "2 envelopes with 9");
        assertThat(rain.state()).isEqualTo("closed");
    }

    @Test
    @DisplayName("While the connection is lost, figures are marked stale and actions are disabled")
    void aLostConnectionIsShown() {
        TestSale sale = sale("apple:5:1", "");
        scene.operate("sales/" + sale.id());
        browser.await("#link", "Live");

        scene.network(FaultyProxy.Mode.BLACK_HOLE);
        browser.await("#stale", "Connection lost");
        browser.await("#stale", "are not live");
        browser.await("#link", "Connection lost");
        assertThat(browser.run("return { enabled: document.querySelectorAll("
                + "'[data-needs-live]:enabled').length }")).containsEntry("enabled", 0L);
        sale.bought(fresh("user"), "apple");
        scene.network(FaultyProxy.Mode.PASS);

        browser.await(".tiles", "4 of 5");
        browser.await("#link", "Live");
        browser.awaitGone("#stale");
        browser.choose("Pause");
        browser.await(".ask", "Pause");
    }

    @Test
    @DisplayName("An expiring token is announced; a new one continues on the same page")
    void anExpiredTokenIsReplaced() {
        TestSale sale = sale("apple:5:1", "");
        scene.open("sales/" + sale.id());
        scene.paste("no.to.ken");
        browser.await("#sign-in-why", "does not accept that token");
        scene.signIn(Duration.ofSeconds(20), "olga", "operator");
        browser.await("#ending", "Your token expires in");
        browser.await(".tiles", "5 of 5");
        browser.await("#sign-in-why", "has expired");
        scene.signIn("olga", "operator");

        browser.awaitGone("#sign-in");
        browser.choose("Pause");
        confirm("Pause", "as “paused”", "Pause this sale");
        browser.await(".badge", "Paused");
    }

    @Test
    @DisplayName("A buyer is turned away, an auditor sees and changes nothing, a payer confirms")
    void rolesDecideWhatIsShown() {
        TestSale sale = sale("apple:5:1", "'paymentWindow':'PT15M'");
        String order = sale.bought(fresh("user"), "apple");
        scene.open("sales/" + sale.id());
        scene.signIn("711");
        browser.await("h1", "You have no access to this console");
        browser.awaitGone("#menu a");

        scene.open("sales/" + sale.id());
        scene.signIn("ada", "auditor");
        browser.await(".tiles", "4 of 5");
        browser.awaitGone("[data-needs-live], .actions button");

        scene.open("sales/" + sale.id());
        scene.signIn("payments", "payer");
        browser.await("h1", "Orders");
        browser.type("[name=sale]", sale.id());
        browser.type("[name=order]", order);
        browser.choose("Find the order");
        browser.await(".badge", "reserved");
        browser.choose("Confirm");
        confirm("Confirm the payment", "1 × apple", "Confirm payment");
        browser.await(".badge", "confirmed");
    }

    @Test
    @DisplayName("Users are blocked and unblocked")
    void usersAreBlocked() {
        String user = fresh("user");
        scene.operate("blocklist");
        browser.type("[name=user]", user);
        browser.choose("Look up");
        browser.await(".notice", user + " is not blocked");
        browser.choose("Block the user");
        confirm("Block " + user, "refused within a second", "Block the user");
        browser.await("tbody", user);
        browser.choose("Look up");
        browser.await(".notice", user + " is blocked");
        browser.choose("Unblock the user");
        confirm("Unblock " + user, "can buy, grab and return again", "Unblock the user");
        browser.choose("Look up");
        browser.await(".notice", user + " is not blocked");
        assertThat(scene.errors()).isEmpty();
    }

    @Test
    @DisplayName("Where headers identify the caller, a name and a role replace the token")
    void headersIdentifyTheCaller() {
        TestSale sale = sale("apple:5:1", "");
        scene.openWithHeaders("sales/" + sale.id());
        browser.await("#sign-in", "trusts the name you enter");
        browser.press("#sign-in-name button");
        browser.await("#user", "operator");
        browser.choose("Pause");
        confirm("Pause", "as “paused”", "Pause this sale");
        browser.await(".badge", "Paused");
        assertThat(sale.view().body().path("state").asText()).isEqualTo("paused");
    }
}
