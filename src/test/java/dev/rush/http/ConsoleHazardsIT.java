package dev.rush.http;

import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Answers;
import dev.rush.testing.Await;
import dev.rush.testing.TestSale;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Mishaps of operators on the night of a sale that must do no harm. */
class ConsoleHazardsIT extends WithConsole {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static TestSale sale(String more) {
        return TestSale.of(scene.environment(), "apple:5:1", more);
    }

    @Test
    @DisplayName("A token that expires in the middle of a form loses no input")
    void aFormOutlivesItsToken() {
        String id = fresh("sale");
        scene.open("new/sale");
        scene.signIn(Duration.ofSeconds(40), "olga", "operator");
        browser.await("#user", "olga");
        browser.await("h1", "New sale");
        browser.type("[name=id]", id);
        browser.type("[name='items[0].sku']", "apple");
        browser.type("[name='items[0].total']", "5");
        browser.await("#sign-in-why", "has expired");
        scene.signIn("olga", "operator");
        browser.awaitGone("#sign-in");
        browser.choose("Prepare the sale …");
        confirm("Prepare " + id, "5 units", "Prepare the sale");
        browser.await("h1", id);
    }

    @Test
    @DisplayName("The browser's back button closes the question of the page it leaves")
    void theBackButtonClosesAQuestion() {
        TestSale sale = sale("");
        scene.operate("sales");
        browser.await("h1", "Sales");
        scene.go("sales/" + sale.id());
        browser.await("#link", "Live");
        browser.choose("Close permanently");
        browser.await(".ask", "Close");
        browser.run("history.back()");
        browser.await("h1", "Sales");
        browser.awaitGone(".ask");
        assertThat(sale.view().body().path("state").asText()).isEqualTo("open");
    }

    @Test
    @DisplayName("Of two who change one total, the second sees the first change before confirming")
    void twoOperatorsSeeEachOthersChanges() {
        TestSale sale = sale("");
        scene.operate("sales/" + sale.id());
        browser.await(".tiles", "5 of 5");
        browser.choose("Change total");
        browser.fill(".ask input", "6");
        Answers.is(200, scene.environment().api().asOperator().patch(
                sale.path() + "/items/apple", "{\"total\": 9}"));
        browser.await(".tiles", "9 of 9");
        browser.choose("Change the total");
        browser.await(".ask .failure", "changed the total from 5 to 9");
        browser.await(".ask .effect", "from 9 to 6");
        browser.choose("Change the total");
        browser.awaitGone(".ask");
        browser.await(".tiles", "6 of 6");
    }

    @Test
    @DisplayName("A question names a sale without a title by its id")
    void aSaleWithoutATitleHasAName() {
        TestSale sale = sale("'title':''");
        scene.operate("sales/" + sale.id());
        browser.await("#link", "Live");
        browser.choose("Pause");
        browser.await(".ask h2", "Pause " + sale.id() + "?");
    }

    @Test
    @DisplayName("A machine with a fast clock ends no session that the service accepts")
    void aFastClockEndsNoSession() {
        scene.openWithFastClock(Duration.ofHours(1), "webhooks");
        scene.signIn("olga", "operator");
        browser.await("h1", "Webhooks");
        Await.until("the service was asked whether the session is over", LIMIT, () ->
                (Long) browser.run("return { probes: performance.getEntriesByType('resource')"
                        + ".filter(({ name }) => name.endsWith('sales?limit=1')).length }")
                        .get("probes") > 2);
        browser.awaitGone("#sign-in");
        browser.await("#user", "olga");
    }

    @Test
    @DisplayName("A missing sale is reported once")
    void absenceIsReportedOnce() {
        scene.operate("sales/nowhere/books");
        browser.await(".notice", "There is no sale with this id.");
        browser.awaitGone("main .reading");
        browser.awaitGone(".tab");
        assertThat(browser.run("return { text: document.querySelector('.notice').textContent }"))
                .containsEntry("text", "There is no sale with this id.");
    }

    @Test
    @DisplayName("Input of buyers and colleagues is shown as text, never as elements")
    void inputIsShownAsText() {
        String evil = "<img/src=x/onerror=alert(1)>";
        TestSale sale = TestSale.of(scene.environment(), "apple:5:1", "'title':'" + evil + "'");
        String order = sale.bought(evil, "apple");
        Answers.is(204, scene.environment().api().asOperator().put(
                "/v1/blocklist/%3Cimg%2Fsrc=x%2Fonerror=alert(1)%3E", "{}"));
        scene.operate("sales");
        browser.await("tbody", evil);
        for (String page : new String[] {"sales/" + sale.id(), "new/sale?copy=" + sale.id()}) {
            scene.go(page);
            browser.await("h1", evil);
        }
        for (String page : new String[] {"sales/" + sale.id() + "/orders", "blocklist", "audit",
            "sales/" + sale.id() + "/orders/" + order + "?user=" + evil}) {
            scene.go(page);
            browser.await("main", evil);
        }
        assertThat(browser.run("return { images: document.images.length }"))
                .containsEntry("images", 0L);
        assertThat(scene.errors()).isEmpty();
    }
}
