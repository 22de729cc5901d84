package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Browser;
import dev.rush.testing.Environments;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The browser client {@code /rush.js} in a real browser, in a page of its origin that does nothing
 * by itself. Each test scripts the service's answers; {@link DemoIT} uses the real service.
 */
class BrowserClientIT {

    /** The service: the next answers as status, word and seconds to wait, and what was sent. */
    private static final String SERVICE = """
            const { Rush } = await import('/rush.js');
            const answers = [], sent = [];
            const answer = (status, word, wait) => answers.push([status, word, wait]);
            let arrived = () => {};
            window.fetch = async request => {
                sent.push({ at: performance.now(), method: request.method, url: request.url,
                    key: request.headers.get('Idempotency-Key'), body: await request.text() });
                arrived(request);
                const [status, word, wait = 0] = answers.shift();
                const data = typeof word === 'string' ? { type: `/problems/${word}` } : word;
                return Response.json(data,
                    { status, headers: { 'Retry-After': String(wait) } });
            };
            const sale = new Rush({ user: 'u' }).sale('s');
            const buy = (options, of = sale) => of.buy([{ sku: 'a' }], options).catch(e => e);
            """;

    private static Browser browser;

    @BeforeAll
    static void start() {
        browser = Browser.start();
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void open() {
        browser.open(Environments.single().pod().baseUri() + "/rush.js");
    }

    @AfterEach
    void forget() {
        browser.open(Environments.single().pod().baseUri() + "/rush.js");
        browser.clearStorage();
        browser.errors();
    }

    private static Map<String, Object> run(String body) {
        return browser.run(SERVICE + body);
    }

    @Test
    @DisplayName("The client follows the server's clock, and starts anew when it is contradicted")
    void theClockIsTheServers() {
        Map<String, Object> result = run("""
                const now = () => performance.timeOrigin + performance.now();
                const rush = new Rush();
                const unknown = rush.now() - now();
                rush.learn(now() + 60_000, now() - 1000);
                rush.learn(now() + 59_990, now() - 50);
                const ahead = rush.now() - now();
                rush.learn(now() - 5000, now());
                return { unknown, ahead, behind: rush.now() - now() };
                """);
        assertThat(((Number) result.get("unknown")).doubleValue()).isBetween(-50.0, 50.0);
        assertThat(((Number) result.get("ahead")).doubleValue()).isBetween(59_990.0, 60_060.0);
        assertThat(((Number) result.get("behind")).doubleValue()).isBetween(-5100.0, -4900.0);
    }

    @Test
    @DisplayName("The client waits for Retry-After, and each try has the same key and body")
    void retryAfterIsHeeded() {
        Map<String, Object> result = run("""
                answer(429, 'rate-limited', 1);
                answer(504, 'outcome-unknown', 1);
                answer(503, 'unavailable', 1);
                answer(409, 'sold-out');
                const error = await buy();
                return { code: error.code, tries: sent.length, pending: sale.pending(),
                    keys: new Set(sent.map(t => t.key + t.body)).size,
                    pause: Math.min(...sent.slice(1).map((t, i) => t.at - sent[i].at)) };
                """);
        assertThat(result).containsEntry("code", "sold-out").containsEntry("tries", 4L)
                .containsEntry("keys", 1L).containsEntry("pending", null);
        assertThat(((Number) result.get("pause")).doubleValue()).isGreaterThanOrEqualTo(1000);
    }

    @Test
    @DisplayName("A refusal that precedes the lookup of the key settles nothing; the key is kept")
    void anUnknownOutcomeIsNotForgotten() {
        Map<String, Object> result = run("""
                answer(504, 'outcome-unknown');
                answer(401, 'unauthenticated');
                const error = await buy();
                return { code: error.code, kept: sale.pending().key === sent[0].key };
                """);
        assertThat(result).containsEntry("code", "unauthenticated").containsEntry("kept", true);
    }

    @Test
    @DisplayName("A key that another tab has stored meanwhile is neither overwritten nor deleted")
    void anotherTabsKeyIsLeftAlone() {
        Map<String, Object> result = run("""
                const slot = sale.rush.slot('sales/s/purchases');
                const other = JSON.stringify({ key: 'other', body: 'b', at: 1 });
                arrived = () => localStorage.setItem(slot, other);
                answer(504, 'outcome-unknown');
                answer(201, { order: 'o' });
                let overwritten;
                const onUnknown = () => { overwritten = localStorage.getItem(slot) !== other; };
                const { order } = await buy({ onUnknown });
                return { order, overwritten, left: sale.pending()?.key };
                """);
        assertThat(result).containsEntry("order", "o").containsEntry("overwritten", false)
                .containsEntry("left", "other");
    }

    @Test
    @DisplayName("A tab that gives up keeps a key that another tab has also sent")
    void aSharedKeyIsKeptForTheOtherTab() {
        Map<String, Object> result = run("""
                const slot = sale.rush.slot('sales/s/purchases');
                arrived = () => localStorage.setItem(slot,
                    JSON.stringify({ ...sale.pending(), unknown: true }));
                answer(503, 'not-loaded');
                const { code } = await buy();
                return { code, kept: sale.pending()?.key === sent[0].key };
                """);
        assertThat(result).containsEntry("code", "not-loaded").containsEntry("kept", true);
    }

    @Test
    @DisplayName("Keys of two services and of two users are kept apart")
    void keysAreKeptApart() {
        Map<String, Object> result = run("""
                answer(504, 'outcome-unknown');
                answer(401, 'unauthenticated');
                await buy();
                const pending = options => Boolean(new Rush(options).sale('s').pending());
                return { same: pending({ user: 'u' }), otherUser: pending({ user: 'v' }),
                    otherBase: pending({ user: 'u', base: '/test/v1/' }) };
                """);
        assertThat(result).containsEntry("same", true).containsEntry("otherUser", false)
                .containsEntry("otherBase", false);
    }

    @Test
    @DisplayName("Without storage in the browser, the key of an unknown outcome stays in memory")
    void aKeyOutlivesMissingStorage() {
        String bought = """
                answer(504, 'outcome-unknown');
                answer(401, 'unauthenticated');
                await buy();
                const kept = Boolean(sale.pending());
                answer(201, { order: 'o' });
                const { order } = await buy();
                return { order, kept, keys: new Set(sent.map(t => t.key)).size,
                    left: sale.pending() };
                """;
        String off = "Object.defineProperty(window, 'localStorage', { configurable: true, "
                + "get() { throw new DOMException('off', 'SecurityError'); } });";
        String full = "Storage.prototype.setItem = () => { "
                + "throw new DOMException('full', 'QuotaExceededError'); };";
        for (String broken : new String[] {off, full}) {
            open();
            assertThat(browser.run(broken + SERVICE + bought)).as(broken)
                    .containsEntry("order", "o").containsEntry("kept", true)
                    .containsEntry("keys", 1L).containsEntry("left", null);
        }
    }

    @Test
    @DisplayName("A purchase with an unknown outcome is looked up after two minutes, not resent")
    void anOldPurchaseIsLookedUp() {
        Map<String, Object> result = run("""
                const clock = Date.now;
                const later = () => { Date.now = () => clock() + 120_001; };
                answer(504, 'outcome-unknown');
                answer(503, 'unavailable');
                answer(200, { orders: [{ order: 'o' }] });
                const { order } = await buy({ onUnknown: later });
                const [posted, ...asked] = sent;
                return { order, methods: sent.map(t => t.method).join(), left: sale.pending(),
                    under: asked.every(t => t.url.endsWith(`/s/orders?key=${posted.key}`)) };
                """);
        assertThat(result).containsEntry("order", "o").containsEntry("methods", "POST,GET,GET")
                .containsEntry("under", true).containsEntry("left", null);
    }

    @Test
    @DisplayName("A purchase that is not found failed: buying throws, settling returns null")
    void anOldPurchaseThatIsNotFoundDidNotHappen() {
        Map<String, Object> result = run("""
                const clock = Date.now;
                const later = () => { Date.now = () => clock() + 120_001; };
                answer(504, 'outcome-unknown');
                answer(200, { orders: [] });
                const { code } = await buy({ onUnknown: later });
                Date.now = clock;
                answer(504, 'outcome-unknown');
                answer(401, 'unauthenticated');
                await buy();
                later();
                answer(200, { orders: [] });
                return { code, settled: await sale.settle(), left: sale.pending(),
                    posts: sent.filter(t => t.method === 'POST').length };
                """);
        assertThat(result).containsEntry("code", "unknown-order").containsEntry("settled", null)
                .containsEntry("posts", 3L).containsEntry("left", null);
    }

    @Test
    @DisplayName("A bug of the page is thrown, is no unknown outcome, and leaves no key")
    void aMistakeIsThrown() {
        Map<String, Object> result = run("""
                let unknown = 0;
                const onUnknown = () => { unknown++; };
                const headers = () => { throw new TypeError('a mistake'); };
                const mistaken = new Rush({ user: 'u', headers }).sale('s');
                const mistakes = [await buy({ onUnknown }, mistaken),
                    await buy({ onUnknown, signal: 'none' }),
                    await mistaken.follow('o', () => {}).catch(e => e)];
                return { mistakes: mistakes.filter(e => e instanceof TypeError).length, unknown,
                    sent: sent.length, left: sale.pending() };
                """);
        assertThat(result).containsEntry("mistakes", 3L).containsEntry("unknown", 0L)
                .containsEntry("sent", 0L).containsEntry("left", null);
    }

    @Test
    @DisplayName("An id is one segment of the path, whatever it contains")
    void idsArePartsOfThePath() {
        Map<String, Object> result = run("""
                answer(200, {});
                answer(200, { order: 'o', status: 'confirmed' });
                await new Rush().rain('../a?b').view();
                await new Rush().sale('../a?b').follow('c/d', () => {});
                return { urls: sent.map(t => new URL(t.url).pathname).join(' ') };
                """);
        assertThat(result).containsEntry("urls",
                "/v1/rains/..%2Fa%3Fb /v1/sales/..%2Fa%3Fb/orders/c%2Fd");
    }
}
