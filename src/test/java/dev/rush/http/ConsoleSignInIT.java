package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Await;
import dev.rush.testing.Browser;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.TokenProvider;
import dev.rush.testing.Tokens;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Signing in to the console at an OpenID provider, in a real browser. */
class ConsoleSignInIT {
    private static final Environment ENVIRONMENT = Environments.single();
    private static final Duration LIFE = Duration.ofSeconds(10);
    private static Tokens issuer;
    private static TokenProvider provider;
    private static Pod pod;
    private static Browser browser;

    @BeforeAll
    static void start() {
        browser = Browser.start();
        issuer = new Tokens("provider");
        provider = new TokenProvider(issuer, LIFE);
        Map<String, String> settings = new HashMap<>(provider.settings());
        settings.putAll(Map.of("rush.console.enabled", "true", "rush.identity", "token",
                "mp.jwt.verify.publickey", issuer.publicKey(),
                "mp.jwt.verify.issuer", Tokens.ISSUER, "mp.jwt.verify.audiences", "rush"));
        pod = Environments.startPod("console-sign-in", ENVIRONMENT, settings);
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.close();
            pod.close();
            provider.close();
        }
    }

    private static void open(String page) {
        browser.open("about:blank");
        browser.open(pod.baseUri() + "/console" + page);
    }

    private static Map<String, Object> kept() {
        return browser.run("return { session: sessionStorage.length, local: localStorage.length,"
                + " query: location.search }");
    }

    @Test
    @DisplayName("W1: after sign-in at the provider the page is the same, and the token is renewed")
    void theProviderSignsIn() {
        open("#/blocklist");
        browser.choose("Sign in with your organisation");
        browser.await("#user", "olga");
        browser.await("h1", "Blocklist");
        assertThat(kept()).containsEntry("session", 0L).containsEntry("local", 0L)
                .containsEntry("query", "");
        Await.until("the token was renewed", LIFE, () ->
                provider.grants().contains("refresh_token"));
        assertThat(provider.grants()).startsWith("authorization_code", "refresh_token");
        browser.awaitGone("#sign-in");
    }

    private static void paste(String token) {
        browser.run("document.querySelector('#sign-in-paste').open = true");
        browser.type("#token", token);
        browser.press("#sign-in-paste button");
    }

    @Test
    @DisplayName("A renewal is retried if the provider is down")
    void aFailedRenewalIsRetried() {
        open("#/blocklist");
        browser.choose("Sign in with your organisation");
        browser.await("#user", "olga");
        int before = provider.unanswered();
        provider.unavailable(true);
        Await.until("it was asked in vain", LIFE, () -> provider.unanswered() > before);
        int grants = provider.grants().size();
        provider.unavailable(false);
        Await.until("it was asked again", LIFE, () -> provider.grants().size() > grants);
        browser.await("#user", "olga");
    }

    @Test
    @DisplayName("A pasted token is not replaced by a renewal of an earlier sign-in")
    void aPastedTokenIsNotReplaced() {
        open("#/health");
        browser.choose("Sign in with your organisation");
        browser.await("#user", "olga");
        browser.await("#link", "Live");
        provider.unavailable(true);
        try {
            browser.choose("Sign in again");
            browser.await("#sign-in-why", "Sign in again");
            paste(issuer.token(Duration.ofSeconds(6), "ada", "auditor"));
            browser.await("#user", "ada");
        } finally {
            provider.unavailable(false);
        }
        browser.await("#sign-in-why", "has expired");
    }

    @Test
    @DisplayName("Sign-in settings that could not be read are read again")
    void signInSettingsAreReadAgain() {
        browser.block("*/console/sign-in.json");
        open("#/blocklist");
        browser.await("#sign-in", "Access token");
        browser.block();
        paste("no.to.ken");
        browser.await("#sign-in-why", "does not accept that token");
        browser.choose("Sign in with your organisation");
        browser.await("#user", "olga");
    }

    @Test
    @DisplayName("W1: a refusal of the provider is shown; an unsolicited answer is ignored")
    void refusalsAreShown() {
        provider.refuses(true);
        try {
            open("#/sales");
            browser.choose("Sign in with your organisation");
            browser.await("#sign-in-why", "did not sign you in: access_denied");
        } finally {
            provider.refuses(false);
        }
        int grants = provider.grants().size();
        open("?code=0&state=forged#/sales");
        browser.await("#sign-in-why", "unsolicited answer");
        assertThat(provider.grants()).hasSize(grants);
        assertThat(kept()).containsEntry("session", 0L).containsEntry("query", "");
    }
}
