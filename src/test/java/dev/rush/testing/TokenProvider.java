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
 * The part of an OpenID provider that a public client with PKCE sees. It signs in everybody; a code
 * is valid once, and only with the verifier of its challenge.
 */
public final class TokenProvider implements AutoCloseable {
    private final HttpServer server;
    private final Tokens issuer;
    private final Duration lifetime;
    private final Map<String, Map<String, String>> codes = new ConcurrentHashMap<>();
    private final List<String> grants = new CopyOnWriteArrayList<>();
    private final AtomicInteger unanswered = new AtomicInteger();
    private volatile boolean refuses;
    private volatile boolean isUnavailable;

    /** Creates a provider of an operator's tokens with this lifetime. */
    public TokenProvider(Tokens issuer, Duration lifetime) {
        this.issuer = issuer;
        this.lifetime = lifetime;
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

    /** The console's settings for this provider. */
    public Map<String, String> settings() {
        String base = "http://127.0.0.1:" + server.getAddress().getPort();
        return Map.of("rush.console.authorization-endpoint", base + "/authorize",
                "rush.console.token-endpoint", base + "/token");
    }

    /** The types of the grants for which it issued tokens, oldest first. */
    public List<String> grants() {
        return grants;
    }

    /** If true, it refuses to sign in anybody from now on. */
    public void refuses(boolean refuses) {
        this.refuses = refuses;
    }

    /** If true, it answers requests for a token with 503 from now on. */
    public void unavailable(boolean unavailable) {
        isUnavailable = unavailable;
    }

    /** The number of requests for a token that it answered with 503. */
    public int unanswered() {
        return unanswered.get();
    }

    private void authorize(HttpExchange exchange) throws IOException {
        Map<String, String> request = parameters(exchange.getRequestURI().getRawQuery());
        boolean isValid = "code".equals(request.get("response_type"))
                && "S256".equals(request.get("code_challenge_method"))
                && "rush-console".equals(request.get("client_id"));
        String code = Integer.toHexString(codes.size()) + request.get("state");
        codes.put(code, request);
        exchange.getResponseHeaders().set("Location", request.get("redirect_uri")
                + (refuses || !isValid ? "?error=access_denied" : "?code=" + code)
                + "&state=" + request.get("state"));
        exchange.sendResponseHeaders(302, -1);
        exchange.close();
    }

    private void token(HttpExchange exchange) throws IOException {
        if (isUnavailable) {
            unanswered.incrementAndGet();
            exchange.getResponseHeaders().set("Access-Control-Allow-Origin", "*");
            exchange.sendResponseHeaders(503, -1);
            exchange.close();
            return;
        }
        Map<String, String> request = parameters(new String(
                exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        boolean isValid = "refresh_token".equals(request.get("grant_type"))
                ? "more".equals(request.get("refresh_token")) : isValid(request);
        byte[] body = (isValid ? "{\"access_token\":\"" + issuer.token(lifetime, "olga", "operator")
                + "\",\"refresh_token\":\"more\"}" : "{\"error\":\"invalid_grant\"}")
                .getBytes(StandardCharsets.UTF_8);
        if (isValid) {
            grants.add(request.get("grant_type"));
        }
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.getResponseHeaders().set("Access-Control-Allow-Origin", "*");
        exchange.sendResponseHeaders(isValid ? 200 : 400, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private boolean isValid(Map<String, String> request) {
        Map<String, String> authorization = codes.remove(request.getOrDefault("code", ""));
        return authorization != null
                && authorization.get("redirect_uri").equals(request.get("redirect_uri"))
                && authorization.get("code_challenge").equals(
                        challenge(request.getOrDefault("code_verifier", "")));
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
