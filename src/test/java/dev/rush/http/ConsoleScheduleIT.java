package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.TestSale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Changing the title and times of a sale in the console, driven in a real browser. */
class ConsoleScheduleIT extends WithConsole {
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
}
