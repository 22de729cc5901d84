package com.example.shop;

import com.example.shop.Cart.Status;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import rush.client.model.CloudEvent;
import rush.client.model.Order;

/**
 * Receives Rush's events, signed as in Standard Webhooks. Delivery is at least once, and in order
 * for the events of one order.
 */
final class Webhook {
    private static final String PREFIX = "whsec_";
    private static final long AGE_MAX_SECONDS = 300;

    private final List<String> secrets;
    private final Carts carts;
    private final Consumer<Cart> changed;

    /**
     * Reads the secrets, newest first, or creates one at the first start. To rotate it, put a new
     * one above it and restart the shop, which then accepts signatures with either. Remove the old
     * one a day later.
     *
     * @param changed is called with a cart after each event
     */
    Webhook(Path file, Carts carts, Consumer<Cart> changed) throws IOException {
        this.carts = carts;
        this.changed = changed;
        if (!Files.exists(file)) {
            byte[] random = new byte[32];
            new SecureRandom().nextBytes(random);
            String secret = PREFIX + Base64.getEncoder().encodeToString(random);
            Durable.write(file, secret.getBytes(StandardCharsets.US_ASCII));
        }
        secrets = Files.readAllLines(file).stream().map(String::strip)
                .filter(line -> !line.isEmpty()).toList();
    }

    /** The newest secret, with which Rush should sign. */
    String secret() {
        return secrets.get(0);
    }

    /**
     * Handles a delivery.
     *
     * @param body the bytes as received: reserialized JSON would not match the signature
     * @return the status of the answer; Rush redelivers unless it is 2xx
     */
    int receive(Function<String, String> headers, byte[] body) throws IOException {
        if (!isGenuine(headers, body)) {
            return 401;
        }
        CloudEvent event = Json.read(body, CloudEvent.class);
        if (!event.getType().startsWith("dev.rush.order.")) {
            return 204;
        }
        Order order = Json.MAPPER.convertValue(event.getData(), Order.class);
        Optional<Cart> cart = carts.ofOrder(order.getOrder());
        if (cart.isPresent()) {
            changed.accept(carts.change(cart.get().key(), same ->
                    same.after(event.getId(), Checkout.status(order, same.status()))));
            return 204;
        }
        // If the answer to the purchase was lost, a retry will soon tell us its order.
        boolean mayBeOurs = carts.of(order.getUser()).stream()
                .anyMatch(open -> open.status() == Status.BUYING);
        return mayBeOurs ? 503 : 204;
    }

    private boolean isGenuine(Function<String, String> headers, byte[] body) {
        String id = headers.apply("webhook-id");
        String timestamp = headers.apply("webhook-timestamp");
        String signatures = headers.apply("webhook-signature");
        if (id == null || timestamp == null || signatures == null || !isFresh(timestamp)) {
            return false;
        }
        byte[] start = (id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8);
        for (String secret : secrets) {
            byte[] expected = ("v1," + signature(secret, start, body))
                    .getBytes(StandardCharsets.US_ASCII);
            for (String signature : signatures.split(" ")) {
                // Constant time, so that guesses reveal nothing.
                if (MessageDigest.isEqual(expected, signature.getBytes(StandardCharsets.UTF_8))) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Prevents the replay of recorded deliveries. */
    private static boolean isFresh(String timestamp) {
        try {
            long age = Instant.now().getEpochSecond() - Long.parseLong(timestamp);
            return Math.abs(age) <= AGE_MAX_SECONDS;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static String signature(String secret, byte[] start, byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(
                    Base64.getDecoder().decode(secret.substring(PREFIX.length())), "HmacSHA256"));
            mac.update(start);
            return Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
