package dev.rush.http;

import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Api;
import dev.rush.testing.Browser;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.FaultyProxy;
import dev.rush.testing.Pod;
import dev.rush.testing.TestRain;
import dev.rush.testing.TestSale;
import dev.rush.testing.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The demo, driven in a real browser through a proxy. */
class DemoIT {
    private static final int BUYERS = 200;
    private static final Environment ENVIRONMENT = Environments.single();
    private static Pod pod;
    private static FaultyProxy proxy;
    private static Browser browser;

    @BeforeAll
    static void start() {
        browser = Browser.start();
        pod = Environments.startPod("demo", ENVIRONMENT, Map.of("rush.demo.enabled", "true"));
        proxy = FaultyProxy.before(pod.baseUri().getPort());
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.close();
            proxy.close();
            pod.close();
        }
    }

    /** Each test has its own visitor. */
    @AfterEach
    void forget() {
        proxy.mode(FaultyProxy.Mode.PASS);
        browser.clearStorage();
        // What its page still asks must not fail the next test.
        browser.open("about:blank");
        browser.errors();
    }

    private static TestSale sale(String items) {
        TestSale sale = TestSale.unknown(ENVIRONMENT, pod.api());
        sale.prepare(items, "");
        return sale;
    }

    private static void open(String page) {
        browser.open("http://127.0.0.1:" + proxy.port() + page);
    }

    private static String order() {
        return browser.attribute(".order", "data-order");
    }

    @Test
    @DisplayName("A buy takes one unit, the stock is live, and a reload shows the same order")
    void aReloadShowsTheSameOrder() {
        TestSale sale = sale("apple:5:1");
        open("/demo?sale=" + sale.id());
        browser.await(".card .left", "5");
        browser.await("#link", "Live");

        browser.press(".card button");
        String order = order();
        browser.await(".card button", "Yours");
        browser.await(".card .left", "4");
        browser.reload();

        assertThat(order()).isEqualTo(order);
        browser.await(".card button", "Yours");
        assertThat(sale.left("apple")).isEqualTo(4);
        assertThat(browser.errors()).as("errors and breaches of the policy").isEmpty();
    }

    @Test
    @DisplayName("The page shows sold out, paused and ended without a reload")
    void statesAreLive() {
        TestSale sale = sale("apple:1:1,pear:5:1");
        open("/demo?sale=" + sale.id());
        browser.await("[data-sku=apple] button", "Buy");

        sale.bought(fresh("user"), "apple");
        browser.await("[data-sku=apple] button", "Sold out");
        sale.control("pause");
        browser.await("[data-sku=pear] button", "Paused");
        sale.control("resume");
        browser.await("[data-sku=pear] button", "Buy");
        sale.control("close");
        browser.await("[data-sku=pear] button", "Ended");
    }

    @Test
    @DisplayName("W2: in a rush of 200 others the page stays live, and its buyer gets one answer")
    void aRushOfOthers() {
        TestSale sale = sale("apple:100:1");
        open("/demo?sale=" + sale.id());
        browser.await(".card button", "Buy");

        List<CompletableFuture<Api.Answer>> others = new ArrayList<>();
        for (int i = 0; i < BUYERS; i++) {
            others.add(sale.buyAsync("other-" + i, "apple"));
            if (i == BUYERS / 4) {
                browser.press(".card button");
            }
        }
        long accepted = others.stream().filter(other -> other.join().status() == 201).count();
        browser.await("#link", "Live");
        browser.await(".card button", accepted == 100 ? "Sold out" : "Yours");
        browser.await(".card .left", "0");
        assertThat(accepted).isBetween(99L, 100L);
        assertThat(sale.left("apple")).isZero();
        assertThat(sale.orders()).isEqualTo(100);
    }

    @Test
    @DisplayName("A purchase whose answer is lost settles under its key, to one order")
    void aCutConnectionSettles() {
        TestSale sale = sale("apple:5:1");
        open("/demo?sale=" + sale.id());
        browser.await(".card button", "Buy");

        proxy.mode(FaultyProxy.Mode.CUT_AFTER_FORWARD);
        browser.press(".card button");
        browser.await("#unknown", "We do not know yet");
        proxy.mode(FaultyProxy.Mode.PASS);

        assertThat(order()).isNotEmpty();
        browser.awaitGone("#unknown");
        browser.await("#link", "Live");
        assertThat(sale.left("apple")).isEqualTo(4);
    }

    @Test
    @DisplayName("A purchase without an answer settles after a reload")
    void aReloadSettles() {
        TestSale sale = sale("apple:5:0");
        open("/demo?sale=" + sale.id());
        browser.await(".card button", "Buy");

        proxy.mode(FaultyProxy.Mode.CUT_AFTER_FORWARD);
        browser.press(".card button");
        browser.await("#unknown", "We do not know yet");
        String key = browser.await("#unknown-key", "").getText();
        proxy.mode(FaultyProxy.Mode.PASS);
        browser.reload();

        order();
        browser.awaitGone("#unknown");
        assertThat(sale.left("apple")).isEqualTo(4);
        assertThat(sale.hash("buyers").values()).singleElement().asString().contains(key);
    }

    @Test
    @DisplayName("A grab by keyboard and one by pointer each open an envelope; the board follows")
    void grabsOpenEnvelopes() {
        TestRain rain = TestRain.of(Environments.with(pod, ENVIRONMENT), 2, 9, 4, 5);
        open("/demo/rain?rain=" + rain.id());
        browser.await("#hint", "2 of 2 to go");

        browser.press("#grab");
        browser.await("#sum", "9");
        browser.await("#board .me", "9");
        browser.click(".envelope:not(.held)");
        browser.await("#sum", "13");
        browser.await("#board .me", "13");
        browser.await("#hint", "You have all your 2");

        assertThat(rain.left()).containsExactly(5L);
        rain.grabbed(fresh("user"));
        browser.await("#state", "all envelopes are caught");
        assertThat(browser.errors()).as("errors and breaches of the policy").isEmpty();
    }

    @Test
    @DisplayName("Where callers need tokens, the page asks for one, and again after a bad one")
    void tokensAreAskedFor() {
        Tokens issuer = new Tokens("demo");
        TestSale sale = sale("apple:5:1");
        try (Pod strict = Environments.startPod("demo-tokens", ENVIRONMENT, Map.of(
                "rush.demo.enabled", "true", "rush.identity", "token",
                "mp.jwt.verify.publickey", issuer.publicKey(),
                "mp.jwt.verify.issuer", Tokens.ISSUER, "mp.jwt.verify.audiences", "rush"))) {
            browser.open(strict.baseUri() + "/demo?sale=" + sale.id());
            browser.await("#sign-in", "Sign in");
            browser.type("#token", "no token");
            browser.press("#sign-in button");
            browser.await("#sign-in-why", "was not accepted");
            browser.type("#token", issuer.token("711"));
            browser.press("#sign-in button");
            browser.await("#visitor", "711");

            browser.await(".card button", "Buy");
            browser.press(".card button");
            assertThat(order()).isNotEmpty();
            assertThat(sale.orders("711")).hasSize(1);
        }
    }
}
