package dev.rush.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rush.RushConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.jwt.auth.principal.DefaultJWTParser;
import io.smallrye.jwt.auth.principal.JWTAuthContextInfo;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/**
 * Whatever a token's header and claims say, with a good signature or a bad one, verification yields
 * a caller or none, and never fails. The input is the header, a line break and the claims; a
 * header that ends in a blank gets a bad signature.
 */
class TokenVerifierFuzzTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final KeyPair KEYS = keys();
    private static final RushConfig CONFIG = new SmallRyeConfigBuilder()
            .withMapping(RushConfig.class).build().getConfigMapping(RushConfig.class);
    private static final String ISSUER = "https://issuer.example";
    private static final TokenVerifier VERIFIER = new TokenVerifier(new DefaultJWTParser(
            new JWTAuthContextInfo(KEYS.getPublic(), ISSUER)), new SigningKeys(null, CONFIG,
            Optional.empty(), Optional.empty()), CONFIG);

    @FuzzTest(maxDuration = "1m")
    void tokenNamesACallerOrNobody(byte[] input) throws GeneralSecurityException, IOException {
        int end = 0;
        while (end < input.length && input[end] != '\n') {
            end++;
        }
        byte[] header = Arrays.copyOf(input, end);
        byte[] claims = end < input.length
                ? Arrays.copyOfRange(input, end + 1, input.length) : new byte[0];
        String signed = encode(header) + "." + encode(claims);
        boolean good = end == 0 || header[end - 1] != ' ';
        Caller caller = VERIFIER.caller(signed + "." + encode(signature(signed, good)));

        if (caller != null) {
            assertThat(good).as("the signature was good").isTrue();
            assertThat(Texts.isUser(caller.user())).isTrue();
            JsonNode said = JSON.readTree(claims);
            assertThat(said.path("sub").asText()).isEqualTo(caller.user());
            assertThat(said.path("iss").asText()).isEqualTo(ISSUER);
        }
        keySet(claims);
    }

    /** The same bytes as a fetched key set: valid, or refused as declared. */
    private static void keySet(byte[] body) {
        try {
            assertThat(KeySet.parse(Buffer.buffer(body), null).size()).isBetween(1, 100);
        } catch (IllegalArgumentException refused) {
            // As declared.
        }
    }

    private static String encode(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static byte[] signature(String signed, boolean good) throws GeneralSecurityException {
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initSign((PrivateKey) KEYS.getPrivate());
        signature.update((good ? signed : "another").getBytes(StandardCharsets.US_ASCII));
        return signature.sign();
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
