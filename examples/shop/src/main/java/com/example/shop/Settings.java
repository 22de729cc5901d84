package com.example.shop;

import java.net.URI;
import java.nio.file.Path;

/** The settings of the shop, from environment variables; the defaults suit a trial. */
record Settings(int port, URI rush, Path data, String sale, String paymentWindow) {

    static Settings ofEnvironment() {
        return new Settings(Integer.parseInt(get("SHOP_PORT", "8081")),
                URI.create(get("SHOP_RUSH_URL", "http://localhost:8080")),
                Path.of(get("SHOP_DATA", "target/data")),
                get("SHOP_SALE", "shop-day"),
                get("SHOP_PAYMENT_WINDOW", "PT2M"));
    }

    /** Where Rush and the payment provider reach the shop. */
    String url() {
        return "http://127.0.0.1:" + port;
    }

    private static String get(String name, String fallback) {
        String value = System.getenv(name);
        return value == null || value.isBlank() ? fallback : value;
    }
}
