package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partitions;
import dev.rush.testing.Answers;
import dev.rush.testing.Api;
import dev.rush.testing.Await;
import dev.rush.testing.Committed;
import dev.rush.testing.FaultyProxy;
import dev.rush.testing.Picture;
import dev.rush.testing.Resp;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Accessibility and layout of the console: any width, light and dark. Takes its pictures. */
class ConsoleLooksIT extends WithConsole {
    private static final Path PICTURES = Path.of("docs/images");
    private static final int PICTURE_BYTES_MAX = 150_000;
    private static final int PHONE = 360;
    private static final int DESK = 1200;
    private static final int WALL = 1920;
    private static final int HEIGHT = 900;
    private static final int HEIGHT_MAX = 1400;
    private static final int BUYS = Committed.RENEW ? 40 : 12;
    private static final long BYTES_MAX = 190_000;
    private static final String APPLES = "apple-day";
    private static final String AXE = axe();

    /** The page of an order that was paid. */
    private static String order;

    @BeforeAll
    static void start() {
        prepare(scene.environment().api().asOperator());
        scene.operate("sales");
    }

    @BeforeEach
    void light() {
        browser.emulate(DESK, HEIGHT, false);
    }

    private static void prepare(Api operator) {
        Answers.is(201, operator.put("/v1/sales/apple-day", """
                {"title": "Apple day", "paymentWindow": "PT15M", "items": [
                  {"sku": "apple", "title": "Apple", "total": 150, "limitPerUser": 1},
                  {"sku": "pear", "title": "Williams pear", "total": 40, "limitPerUser": 2}]}"""));
        Answers.is(201, operator.put("/v1/sales/quince-night", """
                {"title": "Quince night", "opensAt": "%s",
                 "items": [{"sku": "quince", "total": 500}]}""".formatted(
                Instant.now().plus(Duration.ofHours(2)))));
        Answers.is(201, operator.put("/v1/sales/spare-parts", """
                {"title": "Spare parts", "items": [{"sku": "bolt", "total": 20}]}"""));
        Answers.is(200, operator.post("/v1/sales/spare-parts/pause"));
        Answers.is(201, operator.put("/v1/rains/confetti", """
                {"title": "Confetti", "envelopes":
                  {"total": 60000, "count": 600, "split": "double-mean", "seed": 1}}"""));
        Answers.is(201, operator.put("/v1/webhooks/warehouse", """
                {"url": "https://warehouse.invalid/rush", "types": ["dev.rush.order.*"],
                 "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}"""));
        buy(0, 8);
        pay(operator);
    }

    private static void pay(Api operator) {
        String path = "/v1/sales/apple-day/orders";
        Await.until("the ledger has the orders", Duration.ofSeconds(20), () ->
                operator.get(path + "?status=reserved").body().path("orders").size() == 8);
        String id = operator.get(path + "?status=reserved").body().at("/orders/0/order").asText();
        Answers.is(200, scene.environment().api().as("payments").with("X-User-Roles", "payer").post(
                path + "/" + id + "/confirm", "{\"paymentReference\": \"pay-4711\"}"));
        order = "sales/apple-day/orders/" + id;
    }

    private static void buy(int from, int to) {
        for (int i = from; i < to; i++) {
            Answers.is(201, scene.environment().api().as("user-" + i).post(
                    "/v1/sales/apple-day/purchases", "{\"items\":[{\"sku\":\""
                            + (i % 4 == 0 ? "pear" : "apple") + "\"}]}"));
        }
    }

    /** Shows a page and waits for its heading. */
    private static void show(String page, String heading) {
        scene.go(page);
        browser.await("h1", heading);
    }

    private static String axe() {
        try (InputStream in = ConsoleLooksIT.class.getResourceAsStream("/axe.min.js")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The barriers that axe finds on the page, each with its element. */
    private static List<?> barriers() {
        return (List<?>) browser.run(AXE + """
                ;
                const { violations } = await axe.run(document, { runOnly: ['wcag2a', 'wcag2aa',
                    'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] });
                return { found: violations.flatMap(({ id, nodes }) => nodes.map(node =>
                    `${id}: ${node.html}: ${node.failureSummary}`)) };
                """).get("found");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sales Sales", "sales/apple-day Apple", "sales/apple-day/books Apple",
        "sales/apple-day/orders Apple", "sales/apple-day/returns Apple", "rains Rains",
        "rains/confetti Confetti", "rains/confetti/leaders Confetti",
        "rains/confetti/books Confetti", "new/sale New", "new/rain New", "blocklist Blocklist",
        "dead-letters Dead", "sales/apple-day/holds Apple", "ORDER Order", "events Events",
        "webhooks Webhooks", "webhooks/warehouse warehouse", "audit Audit", "health Health"})
    @DisplayName("axe finds no barrier in light or dark, and no page scrolls sideways at any width")
    void noPageHasBarriers(String page) {
        show(page.split(" ")[0].replace("ORDER", order), page.split(" ")[1]);
        browser.awaitGone("main .reading");
        assertThat(barriers()).as("light").isEmpty();
        browser.emulate(DESK, HEIGHT, true);
        assertThat(barriers()).as("dark").isEmpty();
        // A zoom of 200 % leaves 600 pixels of a desktop screen.
        for (int width : new int[] {PHONE, DESK / 2, WALL, 2 * WALL}) {
            browser.emulate(width, HEIGHT, false);
            assertThat(browser.run("return { excess: document.documentElement.scrollWidth"
                    + " - innerWidth }").get("excess")).as("at %d", width)
                    .asInstanceOf(InstanceOfAssertFactories.LONG)
                    .isLessThanOrEqualTo(0);
        }
        assertThat(scene.errors()).isEmpty();
    }

    @Test
    @DisplayName("axe finds no barrier in a question, nor while the connection is lost")
    void questionsHaveNoBarriers() {
        show("sales/apple-day", "Apple day");
        browser.choose("Close permanently");
        browser.await(".ask", "Close Apple day permanently?");
        assertThat(barriers()).isEmpty();
        browser.choose("Cancel");
        scene.network(FaultyProxy.Mode.BLACK_HOLE);
        browser.await("#stale", "Connection lost");
        assertThat(barriers()).isEmpty();
        scene.network(FaultyProxy.Mode.PASS);
        browser.awaitGone("#stale");
    }

    @Test
    @DisplayName("The page loads from no other host, and only its stylesheet blocks rendering")
    void noOtherHostIsContacted() {
        browser.disableCache(true);
        scene.operate("sales");
        browser.disableCache(false);
        Map<String, Object> loaded = browser.run("""
                const files = performance.getEntriesByType('resource');
                const parts = files.filter(file => !file.name.includes('/v1/'));
                return { hosts: new Set(files.map(file => new URL(file.name).host)).size,
                    bytes: parts.reduce((sum, file) => sum + file.decodedBodySize, 0),
                    blocking: files.filter(file => file.renderBlockingStatus === 'blocking')
                        .map(file => new URL(file.name).pathname) };
                """);
        assertThat(loaded).containsEntry("hosts", 1L)
                .containsEntry("blocking", List.of("/console/style.css"));
        assertThat((Long) loaded.get("bytes")).isBetween(BYTES_MAX / 2, BYTES_MAX);
    }

    @Test
    @DisplayName("Rate and forecast follow the observations, and are absent if there are too few")
    void forecasts() {
        assertThat(browser.run("""
                const { Track } = await import('/console/rates.js');
                const after = (...lefts) => {
                    const track = new Track();
                    lefts.forEach((left, second) => track.add(second * 1000, left, 100));
                    return track;
                };
                const steady = after(100, 98, 96, 94, 92, 90);
                const late = new Track();
                for (let second = 0; second <= 60; second++) {
                    late.add(second * 1000, 100 - Math.max(0, second - 30), 100);
                }
                const gone = after(5, 4, 3, 2, 1, 0);
                return { little: after(100, 90).rate(), rate: steady.rate(),
                    at: steady.forecast().at, left: steady.forecast(15_000).left,
                    recent: late.rate(), still: after(9, 9, 9, 9, 9, 9).forecast(),
                    back: after(8, 8, 8, 8, 8, 9).forecast(), gone: gone.forecast() };
                """)).isEqualTo(entries("little", null, "rate", 2L, "at", 50_000L, "left", 70L,
                        "recent", 1L, "still", null, "back", null, "gone", null));
    }

    private static Map<String, Object> entries(Object... pairs) {
        Map<String, Object> map = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put((String) pairs[i], pairs[i + 1]);
        }
        return map;
    }

    @Test
    @DisplayName("Pictures of the main pages (-Drush.renew=true replaces them)")
    void pictures() {
        // A reload forgets what the other tests observed of this sale.
        scene.operate("sales/apple-day");
        for (int i = 8; i < BUYS; i++) {
            buy(i, i + 1);
            // A user who has an apple gets no second one.
            scene.environment().api().as("user-1").post("/v1/sales/apple-day/purchases",
                    "{\"items\":[{\"sku\":\"apple\"}]}");
            browser.await(".tiles", (190 - i - 1) + " of 190");
        }
        picture("sale", DESK, false);
        picture("sale-dark", DESK, true);
        picture("phone", 390, false);
        picture("wall", WALL, true);
        browser.emulate(DESK, HEIGHT, false);
        browser.choose("Pause");
        picture("pause", DESK, false);
        browser.choose("Cancel");
        show("sales", "Sales");
        Await.until("rates are known", Duration.ofSeconds(20), () ->
                !browser.await("[data-id=apple-day]", "Open").getText().contains("measuring"));
        picture("sales", DESK, false);
        scene.network(FaultyProxy.Mode.BLACK_HOLE);
        browser.await("#stale", "are not live");
        picture("lost", DESK, false);
        scene.network(FaultyProxy.Mode.PASS);
        browser.await("#link", "Live");
        String stock = new Partitions(64).of(APPLES).key("sale:" + APPLES + ":stock");
        try (Resp node = scene.environment().resp(stock)) {
            node.command("HINCRBY", stock, "pear:ordered", "3");
        }
        show("sales/apple-day/books", "Apple day");
        browser.await(".verdict", "Undersold");
        picture("books", DESK, false);
        show("new/sale?copy=apple-day", "A copy of Apple day");
        picture("copy", DESK, false);
    }

    @Test
    @DisplayName("Pictures of lists and of the health page")
    void picturesOfLists() {
        show(order, "Order");
        browser.await(".terms tbody", "pay-4711");
        picture("order", DESK, false);
        show("sales/apple-day/orders", "Apple day");
        browser.await("tbody", "user-7");
        picture("orders", DESK, false);
        picture("orders-phone", 390, false);
        show("webhooks/warehouse", "warehouse");
        browser.await("tbody", "the host is unknown");
        picture("webhook", DESK, false);
        show("audit", "Audit");
        browser.await("tbody tr", "order.confirmed");
        picture("audit", DESK, true);
        show("health", "Health");
        browser.await(".frame", "MiB");
        picture("health", DESK, false);
    }

    /** As high as the page, up to a limit. Drawn only to renew it. */
    private static void picture(String name, int width, boolean dark) {
        Path file = PICTURES.resolve("console-" + name + ".png");
        if (Committed.RENEW) {
            Committed.renewed(file, picture(width, dark));
        }
        assertThat(file).isNotEmptyFile();
        assertThat(file.toFile().length()).as(name).isLessThan(PICTURE_BYTES_MAX);
    }

    private static byte[] picture(int width, boolean dark) {
        browser.emulate(width, 1, dark);
        Number height = (Number) browser.run(
                "return { height: document.documentElement.scrollHeight }").get("height");
        browser.emulate(width, Math.min(height.intValue(), HEIGHT_MAX), dark);
        return Picture.reduced(browser.picture());
    }
}
