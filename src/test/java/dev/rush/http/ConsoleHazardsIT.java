package dev.rush.http;

import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Answers;
import dev.rush.testing.Await;
import dev.rush.testing.Patience;
import dev.rush.testing.TestSale;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Mishaps of operators on the night of a sale that must do no harm, changes of its title and times,
 * and unusual screens.
 */
class ConsoleHazardsIT extends WithConsole {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int PHONE = 360;
    private static final int DESK = 1200;
    private static final int WALL = 1920;
    private static final int HEIGHT = 900;

    @BeforeEach
    void desk() {
        browser.emulate(DESK, HEIGHT, false);
    }

    private static TestSale sale(String more) {
        return TestSale.of(scene.environment(), "apple:5:1", more);
    }

    @Test
    @DisplayName("A token that expires in the middle of a form loses no input")
    void aFormOutlivesItsToken() {
        String id = fresh("sale");
        scene.open("new/sale");
        browser.await("#sign-in", "Access token");
        // The service accepts a token until a minute after its end.
        scene.signIn(Patience.of(Duration.ofSeconds(3)).minusSeconds(60), "olga", "operator");
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

    @Test
    @DisplayName("P11: title and times change only where the form differs from the sale")
    void titleAndTimes() {
        TestSale sale = TestSale.of(scene.environment(), "apple:5:1",
                "'title':'Apples','opensAt':'2026-01-01T00:00:00.123Z'");
        scene.operate("sales/" + sale.id());
        browser.await("#link", "Live");
        browser.choose("Title and times");
        browser.await(".ask .effect", "Nothing changes");
        set(".ask [name=closesAt]", "2001-01-01T00:00:00");
        browser.choose("Change title and times");
        browser.await(".ask .failure", "closesAt must be");
        // The browser logs the refusal too.
        assertThat(scene.errors()).hasSize(1);
        set(".ask [name=closesAt]", "2100-01-01T12:00:00");
        browser.await(".ask .effect", "It ends at");
        browser.choose("Change title and times");
        browser.awaitGone(".ask");
        browser.await(".terms", "2100");
        assertThat(sale.view().body().path("opensAt").asText())
                .isEqualTo("2026-01-01T00:00:00.123Z");

        browser.choose("Title and times");
        set(".ask [name=closesAt]", "");
        browser.fill(".ask [name=title]", "Pears");
        browser.await(".ask .effect", "until it is closed");
        browser.choose("Change title and times");
        browser.awaitGone(".ask");
        browser.await("h1", "Pears");
        browser.await(".terms", "when it is closed");
        assertThat(sale.view().body().has("closesAt")).isFalse();
        assertThat(scene.errors()).as("errors and breaches of the policy").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {WALL, 2 * WALL})
    @DisplayName("A wall screen shows a whole sale in large type without scrolling")
    void aWallScreenShowsAllAtOnce(int width) {
        TestSale sale = TestSale.of(scene.environment(), "apple:99:1,pear:9:1");
        sale.bought(fresh("user"), "apple");
        scene.operate("sales");
        browser.emulate(width, width * 9 / 16, false);
        scene.go("sales/" + sale.id());
        browser.await("h1", sale.id());
        browser.await("[data-word=accepted]", "Accepted");
        Map<String, Object> seen = browser.run("""
                const all = ['.tiles', '.chart', '[data-sku]', '[data-word]'];
                return { below: Math.max(...all.map(one => document.querySelector(one)
                        .getBoundingClientRect().bottom)) - innerHeight,
                    share: 100 * parseFloat(getComputedStyle(document.body).fontSize)
                        / innerWidth };
                """);
        assertThat(((Number) seen.get("below")).doubleValue()).isLessThanOrEqualTo(0);
        assertThat(((Number) seen.get("share")).doubleValue()).isGreaterThan(0.8);
    }

    @Test
    @DisplayName("With forced colours, lines and borders show what backgrounds show otherwise")
    void forcedColours() {
        TestSale sale = sale("");
        scene.operate("sales/" + sale.id());
        browser.await("h1", sale.id());
        browser.await("#link", "Live");
        browser.colours(true, true);
        assertThat(browser.run("""
                const of = (one, what, part) =>
                    getComputedStyle(document.querySelector(one), part)[what];
                return { line: of('.chart .line', 'stroke') === of('body', 'color'),
                    text: of('.chart text', 'fill') === of('body', 'color'),
                    live: of('#link', 'backgroundColor', '::before') === of('body', 'color'),
                    here: of('#menu [aria-current]', 'borderBottomStyle') };
                """)).containsEntry("line", true).containsEntry("text", true)
                .containsEntry("live", true).containsEntry("here", "solid");
    }

    @Test
    @DisplayName("A chart of a billion units keeps its labels inside")
    void longNumbersFit() {
        scene.operate("sales");
        TestSale sand = TestSale.of(scene.environment(), "grain:1000000000:1");
        for (int width : new int[] {PHONE, DESK, 2 * WALL}) {
            browser.emulate(width, HEIGHT, false);
            scene.go("sales/" + sand.id());
            browser.await("h1", sand.id());
            browser.await(".chart figcaption", "left");
            assertThat(browser.run("""
                    const edge = document.querySelector('.chart').getBoundingClientRect().left;
                    return { outside: [...document.querySelectorAll('.chart text')]
                        .filter(text => text.getBoundingClientRect().left < edge).length };
                    """)).as("at %d", width).containsEntry("outside", 0L);
        }
    }
}
