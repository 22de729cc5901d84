package dev.rush.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.dev.EmbeddedRedis;
import dev.rush.dev.Ports;
import dev.rush.order.LedgerPods;
import dev.rush.testing.Await;
import dev.rush.testing.Browser;
import dev.rush.testing.Command;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.FaultyProxy;
import dev.rush.testing.FaultyProxy.Mode;
import dev.rush.testing.Pod;
import dev.rush.testing.Sources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The shop of examples/shop, built with its own pom.xml, sells through a real Rush. */
class ShopIT {
    private static final int PORT = Ports.free();
    private static EmbeddedRedis redis;
    private static Environment environment;
    private static Pod rush;
    private static FaultyProxy proxy;

    @BeforeAll
    static void start() {
        String repository = System.getProperty("maven.repo.local");
        // Maven runs for seconds here; C2 would spend half of its processor time compiling.
        Command build = Command.attempt(
                Map.of("MAVEN_OPTS", System.getenv().getOrDefault("MAVEN_OPTS", "")
                        + " -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"),
                "./mvnw", "-B", "-ntp", "-q", "-f", "examples/shop/pom.xml", "package",
                repository == null ? "-Dignored" : "-Dmaven.repo.local=" + repository);
        assertThat(build.status()).as(build.output()).isZero();
        redis = EmbeddedRedis.start();
        environment = Environments.on("shop", redis);
        String shop = "http://127.0.0.1:" + PORT;
        rush = Environments.startPod("shop", environment, Map.of(
                "rush.orders.sink", "postgres", "rush.identity", "token",
                "mp.jwt.verify.issuer", shop, "mp.jwt.verify.audiences", "rush",
                "mp.jwt.verify.publickey.location", shop + "/jwks.json", "rush.keys.retry",
                "PT0.2S", "rush.webhooks.allow-http", "true", "rush.webhooks.allowed-networks",
                "127.0.0.0/8", "rush.webhooks.retry", "PT0.2S"));
        proxy = FaultyProxy.before(rush.baseUri().getPort());
    }

    @AfterAll
    static void stop() {
        proxy.close();
        rush.close();
        redis.close();
    }

    private static ShopProcess open(String sale, String paymentWindow) {
        return new ShopProcess(sale, PORT, proxy.port(), paymentWindow);
    }

    @Test
    @DisplayName("A purchase whose answers are lost, in a shop that is killed, becomes one order, "
            + "paid once and shipped once")
    void lostAnswersAndCrashesLeadToOneOrder() {
        UUID key = UUID.randomUUID();
        try (ShopProcess shop = open("lost", "PT15M")) {
            proxy.mode(Mode.CUT_AFTER_FORWARD);
            assertThat(shop.buy("lamp", key)).isEqualTo("buying");
            Await.until("Rush has the order", ShopProcess.SOON, () -> orders("lost") == 1);
            Await.until("the shop retries", ShopProcess.SOON,
                    () -> shop.log().contains("retrying in"), shop::log);
        } finally {
            proxy.mode(Mode.PASS);
        }
        try (ShopProcess shop = open("lost", "PT15M")) {
            shop.awaitStatus(key, "reserved");
            assertThat(shop.buy("lamp", key)).as("a second click").isEqualTo("reserved");
            assertThat(left(shop, "lamp")).isEqualTo(4);

            String page = shop.pay(key).body().path("page").asText();
            assertThat(shop.api.get(page).body().asText()).contains("Pay 49.00 EUR?");
            assertThat(shop.api.post(page, "").status()).isEqualTo(303);
            assertThat(shop.api.post(page, "").status()).as("a repeated notice").isEqualTo(303);
            shop.awaitStatus(key, "confirmed");
            Await.until("the event has arrived", ShopProcess.SOON,
                    () -> shop.cart(key).path("shipments").asInt() == 1,
                    () -> shop.cart(key) + shop.log());
            assertThat(orders("lost")).isEqualTo(1);
            assertThat(shop.pay(key).status()).isEqualTo(409);

            shop.giveBack(key);
            shop.awaitStatus(key, "returned");
            assertThat(shop.cart(key).path("refunded").asBoolean()).isTrue();
        }
    }

    @Test
    @DisplayName("A return that Rush has not received, in a shop that is killed, is made after a "
            + "restart, and refunded")
    void returnContinuesAfterACrash() {
        UUID key = UUID.randomUUID();
        try (ShopProcess shop = open("return-lost", "PT15M")) {
            buyAndPay(shop, key);
            proxy.mode(Mode.REFUSE);
            shop.giveBack(key);
            Await.until("the shop retries", ShopProcess.SOON,
                    () -> shop.log().contains("retrying in"), shop::log);
        } finally {
            proxy.mode(Mode.PASS);
        }
        try (ShopProcess shop = open("return-lost", "PT15M")) {
            shop.awaitStatus(key, "returned");
            Await.until("the money is refunded", ShopProcess.SOON,
                    () -> shop.cart(key).path("refunded").asBoolean(), shop::log);
        }
    }

    @Test
    @DisplayName("An order that somebody else returns is refunded")
    void returnEventRefunds() throws IOException {
        UUID key = UUID.randomUUID();
        try (ShopProcess shop = open("return-event", "PT15M")) {
            String secret =
                    Files.readAllLines(shop.data.resolve("webhook-secrets")).get(0);
            String order = buyAndPay(shop, key);
            String event = event(order).replace("confirmed", "returned");
            assertThat(deliver(shop, secret, Instant.now().getEpochSecond(), event))
                    .isEqualTo(204);
            assertThat(shop.cart(key).path("status").asText()).isEqualTo("returned");
            assertThat(shop.cart(key).path("refunded").asBoolean()).isTrue();
        }
    }

    /** Buys and pays a lamp, and returns the order's id once it is confirmed. */
    private static String buyAndPay(ShopProcess shop, UUID key) {
        shop.buy("lamp", key);
        shop.awaitStatus(key, "reserved");
        shop.api.post(shop.pay(key).body().path("page").asText(), "");
        shop.awaitStatus(key, "confirmed");
        return shop.cart(key).path("order").asText();
    }

    @Test
    @DisplayName("Orders not paid in time expire, and late payments are refunded")
    void expiresAndRefunds() {
        UUID late = UUID.randomUUID();
        try (ShopProcess shop = open("given-back", "PT15M")) {
            shop.buy("chair", late);
            shop.awaitStatus(late, "reserved");
            String page = shop.pay(late).body().path("page").asText();
            shop.giveBack(late);
            shop.api.post(page, "");
            Await.until("the money is refunded", ShopProcess.SOON,
                    () -> shop.cart(late).path("refunded").asBoolean(), shop::log);
            assertThat(shop.cart(late).path("status").asText()).isEqualTo("returned");
        }
        UUID unpaid = UUID.randomUUID();
        try (ShopProcess shop = open("expired", "PT1S")) {
            shop.buy("chair", unpaid);
            shop.awaitStatus(unpaid, "expired");
            assertThat(shop.pay(unpaid).status()).isEqualTo(409);
            assertThat(shop.api.get("/").body().asText()).contains("Not paid in time");
        }
    }

    @Test
    @DisplayName("During a rotation events are accepted under both secrets and processed once; "
            + "forged or old ones are refused")
    void processesGenuineEventsOnce() throws IOException {
        UUID key = UUID.randomUUID();
        Path secrets;
        String old;
        String order;
        try (ShopProcess shop = open("events", "PT15M")) {
            secrets = shop.data.resolve("webhook-secrets");
            old = Files.readAllLines(secrets).get(0);
            shop.buy("lamp", key);
            shop.awaitStatus(key, "reserved");
            order = shop.cart(key).path("order").asText();
        }
        String next = "whsec_" + Base64.getEncoder().encodeToString(new byte[32]);
        Files.write(secrets, List.of(next, old));
        try (ShopProcess shop = open("events", "PT15M")) {
            UUID second = UUID.randomUUID();
            shop.buy("chair", second);
            shop.awaitStatus(second, "reserved");

            String event = event(order);
            long now = Instant.now().getEpochSecond();
            assertThat(deliver(shop, "whsec_" + "B".repeat(32), now, event)).isEqualTo(401);
            assertThat(deliver(shop, old, now - 3_600, event)).isEqualTo(401);
            assertThat(shop.cart(key).path("status").asText()).isEqualTo("reserved");
            assertThat(deliver(shop, old, now, event)).isEqualTo(204);
            assertThat(deliver(shop, next, now, event)).isEqualTo(204);
            assertThat(shop.cart(key).path("status").asText()).isEqualTo("confirmed");
            assertThat(shop.cart(key).path("shipments").asInt()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("The buttons of the page buy, pay and return")
    void buttonsBuyPayAndReturn() {
        assumeTrue(Browser.isInstalled(), "no chromium with its driver: the page is not tested");
        try (ShopProcess shop = open("page", "PT15M"); Browser browser = Browser.start()) {
            browser.open(shop.page.toString());
            browser.await("#items", "A lamp, 49.00 EUR, 5 left");
            browser.choose("Buy");
            browser.await("#carts", "Pay within");
            browser.choose("Pay");
            browser.await("p", "Pay 49.00 EUR?");
            browser.choose("Pay");
            browser.await("#carts", "Paid. It has been shipped.");
            browser.choose("Return");
            browser.await("#carts", "Returned. Your money has been refunded.");
            assertThat(browser.errors()).isEmpty();
        }
    }

    @Test
    @DisplayName("The shop uses the library versions that Rush uses")
    void libraryVersionsEqualThoseOfRush() {
        for (String version : List.of("jackson", "openapi-generator",
                "jackson-databind-nullable")) {
            assertThat(property("examples/shop/pom.xml", version))
                    .isEqualTo(property("pom.xml", version));
        }
    }

    private static String property(String pom, String version) {
        String tag = "<" + version + ".version>";
        return Sources.text(Path.of(pom)).lines().filter(line -> line.contains(tag))
                .collect(Collectors.joining()).strip();
    }

    /** Returns an event in the form in which Rush sends it. */
    private static String event(String order) {
        return """
                {"specversion":"1.0","id":"%1$s.confirmed","source":"/v1/sales/events",
                 "type":"dev.rush.order.confirmed","time":"2026-11-20T12:00:01.512Z",
                 "subject":"%1$s","datacontenttype":"application/json","new":"unknown",
                 "data":{"order":"%1$s","sale":"events","user":"711","status":"confirmed",
                  "items":[],"placedAt":"2026-11-20T12:00:00Z"}}""".formatted(order);
    }

    /** Delivers an event signed with a secret, and returns the status of the answer. */
    private static int deliver(ShopProcess shop, String secret, long timestamp, String body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.substring(6)), "HMAC"));
            byte[] signed = mac.doFinal(("id." + timestamp + "." + body)
                    .getBytes(StandardCharsets.UTF_8));
            return shop.api.with("webhook-id", "id")
                    .with("webhook-timestamp", Long.toString(timestamp))
                    .with("webhook-signature",
                            "v1,bm8= v1," + Base64.getEncoder().encodeToString(signed))
                    .post("/rush-events", body).status();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long left(ShopProcess shop, String sku) {
        for (JsonNode item : shop.api.get("/items").body()) {
            if (item.path("sku").asText().equals(sku)) {
                return item.path("left").asLong();
            }
        }
        throw new AssertionError("the shop has no " + sku);
    }

    /** Counts the orders of a sale in PostgreSQL. */
    private static long orders(String sale) {
        return Long.parseLong(LedgerPods.select(environment.ledgerUrl(),
                "SELECT count(*) FROM order_states WHERE sale = ?", sale));
    }
}
