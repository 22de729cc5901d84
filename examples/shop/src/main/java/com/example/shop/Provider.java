package com.example.shop;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A payment provider that accepts every payment. It stands in for an external service, so it has
 * its own page and notifies the shop of payments over HTTP.
 */
final class Provider {
    /** The secret shared by the shop and the provider. */
    final String secret = UUID.randomUUID().toString();

    private final HttpClient client = HttpClient.newHttpClient();
    private final URI shop;
    private final Map<String, Session> sessions = new ConcurrentHashMap<>();
    private final Set<String> refunds = ConcurrentHashMap.newKeySet();

    /** A payment that a buyer has begun; its id becomes the id of the payment. */
    record Session(String id, String cart, long amount) {
    }

    /** The notification that the shop receives. */
    record Notice(String payment, String cart, long amount, String currency) {
    }

    Provider(String shop) {
        this.shop = URI.create(shop + "/payments");
    }

    /** Begins a payment and returns the path of the page to which the shop sends the buyer. */
    String begin(String cart, long amount) {
        Session session = new Session("pay-" + UUID.randomUUID(), cart, amount);
        sessions.put(session.id(), session);
        return "/provider/" + session.id();
    }

    /** Refunds a payment; repeating it changes nothing. */
    void refund(String payment) {
        refunds.add(payment);
    }

    /** Serves the payment page and handles its button. */
    void handle(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        Session session = sessions.get(path.substring(path.lastIndexOf('/') + 1));
        if (session == null) {
            Web.answer(exchange, 404, "text/plain", new byte[0]);
        } else if (exchange.getRequestMethod().equals("POST")) {
            notifyShop(session);
            exchange.getResponseHeaders().set("Location", "/");
            Web.answer(exchange, 303, "text/plain", new byte[0]);
        } else {
            Web.answer(exchange, 200, "text/html", """
                    <!doctype html><title>Payments</title>
                    <form method="post"><p>Pay %d.%02d %s?</p><button>Pay</button></form>
                    """.formatted(session.amount() / 100, session.amount() % 100,
                    Catalogue.CURRENCY).getBytes(StandardCharsets.UTF_8));
        }
    }

    private void notifyShop(Session session) throws IOException {
        byte[] notice = Json.write(new Notice(session.id(), session.cart(), session.amount(),
                Catalogue.CURRENCY));
        try {
            client.send(HttpRequest.newBuilder(shop).header("Authorization", "Bearer " + secret)
                    .POST(BodyPublishers.ofByteArray(notice)).build(), BodyHandlers.discarding());
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
