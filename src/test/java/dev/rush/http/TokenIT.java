package dev.rush.http;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import io.smallrye.jwt.build.Jwt;
import io.smallrye.jwt.build.JwtClaimsBuilder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** X4: callers are identified by a verified token, exactly as the contract says. */
class TokenIT {
    private static final String ISSUER = "https://issuer.example";
    private static final String AUDIENCE = "rush";
    private static final KeyPair KEYS = keys();
    private static final KeyPair STRANGERS_KEYS = keys();
    private static Pod pod;
    private static TestSale sale;

    /** A token that must be refused. */
    record Bad(String why, String authorization) {
        @Override
        public String toString() {
            return why;
        }
    }

    @BeforeAll
    static void start() {
        pod = Environments.startPod("token", Environments.single(), Map.of(
                "rush.identity", "token",
                "mp.jwt.verify.publickey", publicKey(),
                "mp.jwt.verify.issuer", ISSUER,
                "mp.jwt.verify.audiences", AUDIENCE));
        sale = TestSale.of(Environments.single(), "apple:1000:0").through(pod.api());
    }

    @AfterAll
    static void stop() {
        pod.close();
    }

    static Stream<Bad> badTokens() {
        String good = token("711");
        String[] parts = good.split("\\.");
        String none = base64("{\"alg\":\"none\",\"typ\":\"JWT\"}") + "." + parts[1] + ".";
        return Stream.of(
                new Bad("no token", null), new Bad("empty", ""), new Bad("only Bearer", "Bearer"),
                new Bad("Bearer and a blank", "Bearer  "), new Bad("garbage", "Bearer garbage"),
                new Bad("dots", "Bearer .."), new Bad("more dots", "Bearer a.b.c.d.e"),
                new Bad("base64 garbage", "Bearer e30.e30.e30"),
                new Bad("basic", "Basic NzExOjcxMQ=="), new Bad("no scheme", good),
                new Bad("expired", bearer(claims("711")
                        .expiresAt(Instant.now().minusSeconds(600)).sign(KEYS.getPrivate()))),
                new Bad("not valid yet", bearer(claims("711")
                        .claim("nbf", Instant.now().plusSeconds(3_600).getEpochSecond())
                        .sign(KEYS.getPrivate()))),
                new Bad("wrong issuer", bearer(claims("711").issuer("https://other.example")
                        .sign(KEYS.getPrivate()))),
                new Bad("no issuer", bearer(Jwt.subject("711").audience(AUDIENCE).expiresIn(300)
                        .sign(KEYS.getPrivate()))),
                new Bad("no audience", bearer(Jwt.issuer(ISSUER).subject("711").expiresIn(300)
                        .sign(KEYS.getPrivate()))),
                new Bad("wrong audience", bearer(claims("711").audience("shop")
                        .sign(KEYS.getPrivate()))),
                new Bad("too old", bearer(claims("711")
                        .issuedAt(Instant.now().minusSeconds(25 * 3_600))
                        .expiresAt(Instant.now().plusSeconds(300))
                        .sign(KEYS.getPrivate()))),
                new Bad("from the future", bearer(claims("711")
                        .issuedAt(Instant.now().plusSeconds(3_600))
                        .expiresAt(Instant.now().plusSeconds(7_200)).sign(KEYS.getPrivate()))),
                new Bad("no iat", "Bearer " + withoutIat(Instant.now().getEpochSecond() + 300)),
                new Bad("wrong key", bearer(claims("711").sign(STRANGERS_KEYS.getPrivate()))),
                new Bad("alg none", "Bearer " + none),
                new Bad("alg none with a signature", "Bearer " + none + parts[2]),
                new Bad("the public key as a secret", "Bearer " + signedWithThePublicKey(parts[1])),
                new Bad("changed claims", "Bearer " + parts[0] + "." + base64("{\"iss\":\"" + ISSUER
                        + "\",\"sub\":\"712\",\"exp\":4102444800}") + "." + parts[2]),
                new Bad("no subject", bearer(Jwt.issuer(ISSUER).audience(AUDIENCE).expiresIn(300)
                        .sign(KEYS.getPrivate()))),
                new Bad("empty subject", bearer(claims("").sign(KEYS.getPrivate()))),
                new Bad("subject with blanks", bearer(claims("7 11").sign(KEYS.getPrivate()))),
                new Bad("subject with a line", bearer(claims("7\n11").sign(KEYS.getPrivate()))),
                new Bad("subject not ASCII", bearer(claims("ä").sign(KEYS.getPrivate()))),
                new Bad("long subject", bearer(claims("u".repeat(129)).sign(KEYS.getPrivate()))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badTokens")
    @DisplayName("X4: without a valid token, calls of buyers and operators are 401")
    void badTokenIsUnauthenticated(Bad bad) {
        Api api = bad.authorization == null ? sale.api()
                : sale.api().with("Authorization", bad.authorization);

        challenged(bad, api.post(sale.purchases(), TestSale.body("apple")));
        challenged(bad, api.get(sale.path() + "/orders"));
        challenged(bad, api.post(sale.path() + "/pause"));
        is(200, api.get(sale.path())); // Reading a sale needs no identity, good or bad.
        refused(api.get("/v1/nowhere"), "not-found");
    }

    @Test
    @DisplayName("X4: the user is the token's sub, and buys, reads and replays as that user")
    void userIsTheSubject() {
        String user = fresh("user");
        Api api = as(token(user));
        Answer bought = is(201, api.key("k").post(sale.purchases(), TestSale.body("apple")));

        assertThat(bought.body().path("user").asText()).isEqualTo(user);
        is(200, api.get(bought.header("Location")));
        assertThat(is(201, as(token(user)).key("k").post(sale.purchases(), TestSale.body("apple")))
                .header("Idempotency-Replayed")).isEqualTo("true");
        refused(as(token(fresh("user"))).get(bought.header("Location")), "unknown-order");
        is(201, sale.api().with("Authorization", "bearer " + token(user))
                .post(sale.purchases(), TestSale.body("apple")));
    }

    @Test
    @DisplayName("X4: roles are in groups: 403 without the operator's, 200 with it")
    void rolesAreInGroups() {
        refused(as(token("711")).post(sale.path() + "/resume"), "forbidden");
        refused(as(token("711", "buyer", "Operator")).post(sale.path() + "/resume"), "forbidden");
        is(200, as(token("boss", "buyer", "operator")).post(sale.path() + "/resume"));
        refused(as(claims("711").claim("roles", "operator").claim("role", "operator")
                .sign(KEYS.getPrivate())).post(sale.path() + "/resume"), "forbidden");
    }

    @Test
    @DisplayName("X4: identity headers are ignored where tokens are required")
    void identityHeadersAreIgnored() {
        refused(sale.api().asOperator().post(sale.path() + "/pause"), "unauthenticated");
        refused(sale.api().as("711").post(sale.purchases(), TestSale.body("apple")),
                "unauthenticated");
        refused(as(token("711")).with("X-User-Roles", "operator").post(sale.path() + "/pause"),
                "forbidden");
        assertThat(is(201, as(token("711")).with("X-User-Id", "712")
                .post(sale.purchases(), TestSale.body("apple"))).body().path("user").asText())
                .isEqualTo("711");
    }

    @Test
    @DisplayName("X4: a token that was valid is refused after it expires")
    void tokenEnds() {
        // Within the allowed clock skew of a minute.
        Instant end = Instant.now().minusSeconds(55);
        String ending = claims(fresh("user")).issuedAt(end.minusSeconds(60)).expiresAt(end)
                .sign(KEYS.getPrivate());
        is(200, as(ending).get(sale.path() + "/orders"));
        dev.rush.testing.Await.until("the token ends", java.time.Duration.ofSeconds(30),
                () -> as(ending).get(sale.path() + "/orders").status() == 401);
    }

    /** RFC 6750: a 401 says how to authenticate, and names an error only if there was a token. */
    private static void challenged(Bad bad, Answer answer) {
        boolean token = bad.authorization != null
                && bad.authorization.strip().startsWith("Bearer ");
        assertThat(refused(answer, "unauthenticated").headers().allValues("WWW-Authenticate"))
                .containsExactly("Bearer realm=\"rush\""
                        + (token ? ", error=\"invalid_token\"" : ""));
    }

    private static Api as(String token) {
        return sale.api().with("Authorization", "Bearer " + token);
    }

    private static String token(String user, String... groups) {
        return claims(user).groups(Set.of(groups)).sign(KEYS.getPrivate());
    }

    private static JwtClaimsBuilder claims(String user) {
        return Jwt.issuer(ISSUER).subject(user).audience(AUDIENCE).expiresIn(300);
    }

    /** Signed by hand, because the builder adds {@code iat} by itself. */
    private static String withoutIat(long expiresAtSeconds) {
        String signed = base64("{\"alg\":\"RS256\",\"typ\":\"JWT\"}") + "." + base64(
                "{\"iss\":\"" + ISSUER + "\",\"aud\":\"" + AUDIENCE
                + "\",\"sub\":\"711\",\"exp\":" + expiresAtSeconds + "}");
        try {
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(KEYS.getPrivate());
            signature.update(signed.getBytes(StandardCharsets.US_ASCII));
            return signed + "." + Base64.getUrlEncoder().withoutPadding()
                    .encodeToString(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String bearer(String token) {
        return "Bearer " + token;
    }

    private static String publicKey() {
        return Base64.getEncoder().encodeToString(KEYS.getPublic().getEncoded());
    }

    private static String signedWithThePublicKey(String claims) {
        String signed = base64("{\"alg\":\"HS256\",\"typ\":\"JWT\"}") + "." + claims;
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(KEYS.getPublic().getEncoded(), "HmacSHA256"));
            return signed + "." + Base64.getUrlEncoder().withoutPadding()
                    .encodeToString(mac.doFinal(signed.getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String base64(String text) {
        return Base64.getUrlEncoder().withoutPadding()
                .encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static KeyPair keys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
