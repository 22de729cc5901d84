package com.example.shop;

import com.example.shop.Cart.Status;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import rush.client.ApiException;

/** The page of the shop and its calls. The browser never calls Rush itself. */
final class Web {
    private static final Logger LOG = System.getLogger("shop");
    private static final int THREADS = 16;
    private static final String JSON = "application/json";

    private final String sale;
    private final Carts carts;
    private final Rush rush;
    private final Tokens tokens;
    private final Checkout checkout;
    private final Webhook webhook;
    private final Provider provider;

    /** The body with which the page buys; each new purchase has a new key. */
    record Wish(UUID key, String sku) {
    }

    Web(String sale, Carts carts, Rush rush, Tokens tokens, Checkout checkout, Webhook webhook,
            Provider provider) {
        this.sale = sale;
        this.carts = carts;
        this.rush = rush;
        this.tokens = tokens;
        this.checkout = checkout;
        this.webhook = webhook;
        this.provider = provider;
    }

    void listen(int port) throws IOException {
        HttpServer server = HttpServer.create(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setExecutor(Executors.newFixedThreadPool(THREADS));
        on(server, "/", this::page);
        on(server, "/items", exchange -> answer(exchange, 200, items()));
        on(server, "/carts", this::carts);
        on(server, "/payments", this::paid);
        on(server, "/rush-events", this::event);
        on(server, "/jwks.json", exchange -> answer(exchange, 200, tokens.keySet()));
        on(server, "/provider/", provider::handle);
        server.start();
    }

    private static void on(HttpServer server, String path, HttpHandler handler) {
        server.createContext(path, exchange -> {
            try {
                handler.handle(exchange);
            } catch (IOException | RuntimeException e) {
                LOG.log(Level.WARNING, path, e);
                exchange.sendResponseHeaders(500, -1);
            } finally {
                exchange.close();
            }
        });
    }

    private void page(HttpExchange exchange) throws IOException {
        user(exchange);
        try (InputStream page = Web.class.getResourceAsStream("/shop.html")) {
            answer(exchange, 200, "text/html; charset=utf-8", page.readAllBytes());
        }
    }

    private Object items() throws IOException {
        try {
            return rush.sales.getSale(sale, null).getItems().stream()
                    .map(item -> Map.of("sku", item.getSku(), "title", item.getTitle(),
                            "left", item.getLeft(), "price", Catalogue.price(item.getSku())))
                    .toList();
        } catch (ApiException e) {
            throw new IOException(e);
        }
    }

    /** Lists the carts or creates one; with a key in the path, pays or returns that cart. */
    private void carts(HttpExchange exchange) throws IOException {
        String user = user(exchange);
        String[] path = exchange.getRequestURI().getPath().split("/");
        if (path.length == 2 && exchange.getRequestMethod().equals("GET")) {
            answer(exchange, 200, Map.of("now", OffsetDateTime.now(), "carts", carts.of(user)));
        } else if (!exchange.getRequestMethod().equals("POST") || !isOwnPage(exchange)) {
            answer(exchange, 405, Map.of());
        } else if (path.length == 2) {
            Wish wish = Json.read(exchange.getRequestBody().readAllBytes(), Wish.class);
            if (wish.key() == null || !Catalogue.has(wish.sku())) {
                answer(exchange, 400, Map.of());
                return;
            }
            Cart cart = checkout.buy(Cart.of(wish.key().toString(), user, wish.sku()));
            boolean isOwn = cart.user().equals(user);
            answer(exchange, isOwn ? 200 : 409, isOwn ? cart.status() : Map.of());
        } else {
            Cart cart = carts.get(path[2]);
            if (cart == null || !cart.user().equals(user) || path.length != 4) {
                answer(exchange, 404, Map.of());
            } else if (path[3].equals("pay")) {
                pay(exchange, cart);
            } else {
                checkout.giveBack(cart.key(), 0);
                answer(exchange, 200, carts.get(cart.key()).status());
            }
        }
    }

    /** Takes payments only for orders in PostgreSQL, and only before their payment deadline. */
    private void pay(HttpExchange exchange, Cart cart) throws IOException {
        boolean isOpen = cart.status() == Status.RESERVED && cart.payment() == null
                && OffsetDateTime.now().isBefore(cart.payBy());
        answer(exchange, isOpen ? 200 : 409, isOpen ? Map.of("page",
                provider.begin(cart.key(), Catalogue.price(cart.sku()))) : Map.of());
    }

    /** Handles the notification of a payment by the provider. */
    private void paid(HttpExchange exchange) throws IOException {
        String expected = "Bearer " + provider.secret;
        String given = exchange.getRequestHeaders().getFirst("Authorization");
        if (given == null || !MessageDigest.isEqual(expected.getBytes(StandardCharsets.UTF_8),
                given.getBytes(StandardCharsets.UTF_8))) {
            answer(exchange, 401, Map.of());
            return;
        }
        Provider.Notice notice = Json.read(
                exchange.getRequestBody().readAllBytes(), Provider.Notice.class);
        checkout.paid(notice.cart(), notice.payment());
        answer(exchange, 200, Map.of());
    }

    private void event(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        answer(exchange, webhook.receive(exchange.getRequestHeaders()::getFirst, body), Map.of());
    }

    /** Identifies the user by a cookie, in place of the sign-in of a real shop. */
    private static String user(HttpExchange exchange) {
        List<String> cookies =
                exchange.getRequestHeaders().getOrDefault("Cookie", List.of());
        for (String cookie : String.join("; ", cookies).split("; ")) {
            if (cookie.startsWith("user=")) {
                return UUID.fromString(cookie.substring("user=".length())).toString();
            }
        }
        String user = UUID.randomUUID().toString();
        exchange.getResponseHeaders().add("Set-Cookie",
                "user=" + user + "; Path=/; HttpOnly; SameSite=Lax");
        return user;
    }

    /** Only our own page can send JSON: a form of another site cannot. */
    private static boolean isOwnPage(HttpExchange exchange) {
        return JSON.equals(exchange.getRequestHeaders().getFirst("Content-Type"));
    }

    private static void answer(HttpExchange exchange, int status, Object value)
            throws IOException {
        answer(exchange, status, JSON, Json.write(value));
    }

    static void answer(HttpExchange exchange, int status, String type, byte[] body)
            throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        boolean isEmpty = body.length == 0 || status == 204;
        exchange.sendResponseHeaders(status, isEmpty ? -1 : body.length);
        if (!isEmpty) {
            exchange.getResponseBody().write(body);
        }
    }
}
