package dev.rush.shop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.ChildProcess;
import dev.rush.testing.Fork;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;

/** The shop of examples/shop in its own process, and the calls of its page. */
final class ShopProcess implements AutoCloseable {
    static final Duration SOON = Duration.ofSeconds(30);
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The cookie of the only buyer. */
    private static final String BUYER = "user=" + UUID.randomUUID();

    final Path data;
    final URI page;
    final Api api;
    private final Path log;
    private final ChildProcess process;

    /** Starts the shop and waits until it is open. */
    ShopProcess(String sale, int port, int rushPort, String paymentWindow) {
        page = URI.create("http://127.0.0.1:" + port);
        api = new Api(page).with("Cookie", BUYER);
        data = Fork.folder("shop").resolve(sale);
        log = data.resolve("shop.log");
        try {
            Files.createDirectories(data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                "-jar", "examples/shop/target/shop.jar");
        builder.environment().putAll(Map.of("SHOP_PORT", Integer.toString(port),
                "SHOP_RUSH_URL", "http://127.0.0.1:" + rushPort, "SHOP_DATA", data.toString(),
                "SHOP_SALE", sale, "SHOP_PAYMENT_WINDOW", paymentWindow));
        process = new ChildProcess(
                builder.redirectErrorStream(true).redirectOutput(log.toFile()));
        Await.until("the shop is open", SOON, () -> log().contains("open: "), this::log);
    }

    String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Buys as the page does, and returns the status of the cart. */
    String buy(String sku, UUID key) {
        return api.post("/carts", "{\"key\":\"" + key + "\",\"sku\":\"" + sku + "\"}")
                .body().asText();
    }

    Answer pay(UUID key) {
        return api.post("/carts/" + key + "/pay", "{}");
    }

    void giveBack(UUID key) {
        api.post("/carts/" + key + "/return", "{}");
    }

    /** Reads a cart from its file. */
    JsonNode cart(UUID key) {
        try {
            return JSON.readTree(data.resolve("carts").resolve(key + ".json").toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void awaitStatus(UUID key, String status) {
        Await.until("the cart is " + status, SOON,
                () -> cart(key).path("status").asText().equals(status),
                () -> cart(key) + "\n" + log());
    }

    /** Kills the shop, as a crash would. */
    @Override
    public void close() {
        process.kill();
        process.awaitExit();
    }
}
