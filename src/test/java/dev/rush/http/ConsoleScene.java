package dev.rush.http;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.testing.Browser;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.FaultyProxy;
import dev.rush.testing.FirstEpoch;
import dev.rush.testing.Pod;
import dev.rush.testing.Tokens;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The console of a pod that trusts tokens, in a browser behind a proxy, and a second pod, for the
 * buyers, that trusts headers. Both write to the ledger.
 */
final class ConsoleScene implements AutoCloseable {
    private static final Map<String, String> BOTH = Map.of("rush.console.enabled", "true",
            "rush.orders.sink", "postgres", "rush.confirm-by", "payer");

    private final Tokens issuer = new Tokens("console");
    private final Browser browser = Browser.start();
    private final EmbeddedRedis redis = EmbeddedRedis.start();
    private final Environment environment;
    private final Pod pod;
    private final Pod headerPod;
    private final FaultyProxy proxy;

    /** Starts servers, pods, proxy and browser. */
    ConsoleScene() {
        Environment servers = Environments.on("console", redis);
        Map<String, String> tokens = new HashMap<>(BOTH);
        tokens.putAll(Map.of("rush.identity", "token",
                "mp.jwt.verify.publickey", issuer.publicKey(),
                "mp.jwt.verify.issuer", Tokens.ISSUER, "mp.jwt.verify.audiences", "rush"));
        List<Pod> pods = Environments.startTogether(
                () -> Environments.startPod("console-header", servers, BOTH),
                () -> Environments.startPod("console", servers, tokens));
        headerPod = pods.get(0);
        pod = pods.get(1);
        environment = Environments.with(headerPod, servers);
        proxy = FaultyProxy.before(pod.baseUri().getPort());
        FirstEpoch.age(servers.ledgerUrl());
    }

    /** Redis and the ledger, with the pod for buyers. */
    Environment environment() {
        return environment;
    }

    Browser browser() {
        return browser;
    }

    void network(FaultyProxy.Mode mode) {
        proxy.mode(mode);
    }

    /** Opens a page of the console anew, with nobody signed in. */
    void open(String page) {
        open("http://127.0.0.1:" + proxy.port(), page);
    }

    /** As above, on a machine whose clock is fast. */
    void openWithFastClock(Duration fast, String page) {
        browser.open("about:blank");
        browser.openWithFastClock(fast, "http://127.0.0.1:" + proxy.port() + "/console#/" + page);
    }

    /** As above, on the pod that trusts headers. */
    void openWithHeaders(String page) {
        open(headerPod.baseUri().toString(), page);
    }

    private void open(String base, String page) {
        browser.open("about:blank");
        browser.open(base + "/console#/" + page);
    }

    /** Signs in with a token of these roles. */
    void signIn(String user, String... roles) {
        paste(issuer.token(user, roles));
    }

    /** Signs in with a token that expires after this time. */
    void signIn(Duration life, String user, String... roles) {
        paste(issuer.token(life, user, roles));
    }

    void paste(String token) {
        browser.await("#sign-in", "Access token");
        browser.type("#token", token);
        browser.press("#sign-in-paste button");
    }

    /** Opens a page as an operator. */
    void operate(String page) {
        open(page);
        signIn("olga", "operator");
        browser.await("#user", "olga");
    }

    /** Goes to another page of the console without losing the token. */
    void go(String page) {
        browser.run("location.hash = '#/' + args[0]", page);
    }

    /**
     * Errors on the page so far, without the 401 before signing in and the 404 of a lookup, which
     * the browser counts as errors too.
     */
    List<String> errors() {
        return browser.errors().stream().filter(error -> !error.contains("(Unauthorized)")
                && !error.contains("(Not Found)")).toList();
    }

    @Override
    public void close() {
        browser.close();
        proxy.close();
        pod.close();
        headerPod.close();
        redis.close();
    }
}
