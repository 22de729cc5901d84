package dev.rush.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * As much of an OpenID provider as a public client sees that uses PKCE: whoever comes is somebody,
 * a code is good once, and only for the verifier of its challenge.
 */
public final class TokenProvider implements AutoCloseable {
    private final HttpServer server;
    private final Tokens issuer;
    private final Duration life;
    private final Map<String, Map<String, String>> codes = new ConcurrentHashMap<>();
    private final List<String> grants = new CopyOnWriteArrayList<>();
    private final AtomicInteger unanswered = new AtomicInteger();
    private volatile boolean refuses;
    private volatile boolean isAway;

    /** A provider whose tokens, of an operator, live so long. */
    public TokenProvider(Tokens issuer, Duration life) {
        this.issuer = issuer;
        this.life = life;
        try {
            server = HttpServer.create(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/authorize", this::authorize);
        server.createContext("/token", this::token);
        server.start();
    }

    /** What the console has to know of it. */
    public Map<String, String> settings() {
        String base = "http://127.0.0.1:" + server.getAddress().getPort();
        return Map.of("rush.console.authorization-endpoint", base + "/authorize",
                "rush.console.token-endpoint", base + "/token");
    }

    /** The kinds of grants that it gave tokens for, the first first. */
    public List<String> grants() {
        return grants;
    }

    /** From now on nobody is signed in, or everybody again. */
    public void refuses(boolean refuses) {
        this.refuses = refuses;
    }

    /** From now on nobody gets a token, or everybody again. */
    public void away(boolean away) {
        isAway = away;
    }

    /** How many asked for a token while it was away. */
    public int unanswered() {
        return unanswered.get();
    }

    private void authorize(HttpExchange exchange) throws IOException {
        Map<String, String> asked = parameters(exchange.getRequestURI().getRawQuery());
        boolean isRight = "code".equals(asked.get("response_type"))
                && "S256".equals(asked.get("code_challenge_method"))
                && "rush-console".equals(asked.get("client_id"));
        String code = Integer.toHexString(codes.size()) + asked.get("state");
        codes.put(code, asked);
        exchange.getResponseHeaders().set("Location", asked.get("redirect_uri")
                + (refuses || !isRight ? "?error=access_denied" : "?code=" + code)
                + "&state=" + asked.get("state"));
        exchange.sendResponseHeaders(302, -1);
        exchange.close();
    }

    private void token(HttpExchange exchange) throws IOException {
        if (isAway) {
            unanswered.incrementAndGet();
            exchange.getResponseHeaders().set("Access-Control-Allow-Origin", "*");
            exchange.sendResponseHeaders(503, -1);
            exchange.close();
            return;
        }
        Map<String, String> asked = parameters(new String(
                exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        boolean isRight = "refresh_token".equals(asked.get("grant_type"))
                ? "more".equals(asked.get("refresh_token")) : isRight(asked);
        byte[] body = (isRight ? "{\"access_token\":\"" + issuer.token(life, "olga", "operator")
                + "\",\"refresh_token\":\"more\"}" : "{\"error\":\"invalid_grant\"}")
                .getBytes(StandardCharsets.UTF_8);
        if (isRight) {
            grants.add(asked.get("grant_type"));
        }
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.getResponseHeaders().set("Access-Control-Allow-Origin", "*");
        exchange.sendResponseHeaders(isRight ? 200 : 400, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private boolean isRight(Map<String, String> asked) {
        Map<String, String> begun = codes.remove(asked.getOrDefault("code", ""));
        return begun != null && begun.get("redirect_uri").equals(asked.get("redirect_uri"))
                && begun.get("code_challenge").equals(
                        challenge(asked.getOrDefault("code_verifier", "")));
    }

    private static String challenge(String verifier) {
        try {
            return Base64.getUrlEncoder().withoutPadding().encodeToString(
                    MessageDigest.getInstance("SHA-256")
                            .digest(verifier.getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, String> parameters(String encoded) {
        return Stream.of(encoded.split("&")).map(pair -> pair.split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0],
                        pair -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8)));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
