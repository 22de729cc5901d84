package com.example.shop;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The tokens that identify callers to Rush. A shop with its own sign-in does not need this class:
 * it configures Rush with the address of that sign-in's keys.
 */
final class Tokens {
    private static final Duration LIFE = Duration.ofMinutes(5);
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private final RSAPrivateCrtKey key;
    private final String issuer;

    /** Reads the signing key, or creates it at the first start. */
    Tokens(Path file, String issuer) throws IOException, GeneralSecurityException {
        this.issuer = issuer;
        if (!Files.exists(file)) {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            Durable.write(file, generator.generateKeyPair().getPrivate().getEncoded());
        }
        key = (RSAPrivateCrtKey) KeyFactory.getInstance("RSA")
                .generatePrivate(new PKCS8EncodedKeySpec(Files.readAllBytes(file)));
    }

    /** Creates a token for a user. Buyers have no roles; limits per user apply to the subject. */
    String of(String user, String... roles) {
        long now = Instant.now().getEpochSecond();
        Map<String, Object> claims = new LinkedHashMap<>();
        claims.put("iss", issuer);
        claims.put("aud", "rush");
        claims.put("sub", user);
        claims.put("iat", now);
        claims.put("exp", now + LIFE.toSeconds());
        claims.put("groups", List.of(roles));
        String content = encoded(Map.of("alg", "RS256", "typ", "JWT", "kid", keyId()))
                + "." + encoded(claims);
        try {
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(key);
            signature.update(content.getBytes(StandardCharsets.US_ASCII));
            return content + "." + BASE64.encodeToString(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the public key as a JSON Web Key Set, which Rush fetches. */
    Map<String, Object> keySet() {
        return Map.of("keys", List.of(Map.of("kty", "RSA", "use", "sig", "alg", "RS256",
                "kid", keyId(), "n", encoded(key.getModulus()),
                "e", encoded(key.getPublicExponent()))));
    }

    /** Derived from the key, so that Rush notices a new one. */
    private String keyId() {
        return Integer.toHexString(key.getModulus().hashCode());
    }

    private static String encoded(Map<String, Object> json) {
        return BASE64.encodeToString(Json.write(json));
    }

    /** Encodes a positive number without its leading sign byte. */
    private static String encoded(BigInteger number) {
        byte[] bytes = number.toByteArray();
        return BASE64.encodeToString(
                bytes[0] == 0 ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes);
    }
}
