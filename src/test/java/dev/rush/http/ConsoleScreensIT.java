package dev.rush.http;

import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.TestSale;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A sale in the operators' console on unusual screens. */
class ConsoleScreensIT extends WithConsole {
    private static final int PHONE = 360;
    private static final int DESK = 1200;
    private static final int WALL = 1920;
    private static final int HEIGHT = 900;
    private static TestSale sale;

    @BeforeAll
    static void start() {
        sale = TestSale.of(scene.environment(), "apple:99:1,pear:9:1");
        sale.bought(fresh("user"), "apple");
        scene.operate("sales");
    }

    @ParameterizedTest
    @ValueSource(ints = {WALL, 2 * WALL})
    @DisplayName("A wall screen shows a whole sale in large type without scrolling")
    void aWallScreenShowsAllAtOnce(int width) {
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
        scene.go("sales/" + sale.id());
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
