package dev.rush.testing;

import io.smallrye.jwt.build.Jwt;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Set;

/** An issuer of tokens with its own key. */
public final class Tokens {
    /** The issuer that every token names. */
    public static final String ISSUER = "https://issuer.example";

    private final KeyPair keys;
    private final String keyId;

    /** An issuer with a new RSA key of this id. */
    public Tokens(String keyId) {
        this.keyId = keyId;
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            keys = generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns a token of a user, valid for ten minutes. */
    public String token(String user, String... groups) {
        return token(Duration.ofMinutes(10), user, groups);
    }

    /**
     * Returns a token of a user, issued a minute ago, with this lifetime from now on. A negative
     * one is within the clock skew that the service allows, up to a minute.
     */
    public String token(Duration lifetime, String user, String... groups) {
        Instant now = Instant.now();
        return Jwt.issuer(ISSUER).subject(user).audience("rush").groups(Set.of(groups))
                .issuedAt(now.minusSeconds(60)).expiresAt(now.plus(lifetime))
                .jws().keyId(keyId).sign(keys.getPrivate());
    }

    /** Returns the public key as {@code mp.jwt.verify.publickey} takes it. */
    public String publicKey() {
        return Base64.getEncoder().encodeToString(keys.getPublic().getEncoded());
    }

    /** Returns the public key as a JSON Web Key. */
    public String webKey() {
        RSAPublicKey key = (RSAPublicKey) keys.getPublic();
        Base64.Encoder digits = Base64.getUrlEncoder().withoutPadding();
        return Answers.json("{'kty':'RSA','use':'sig','kid':'%s','n':'%s','e':'%s'}").formatted(
                keyId, digits.encodeToString(unsigned(key.getModulus().toByteArray())),
                digits.encodeToString(key.getPublicExponent().toByteArray()));
    }

    private static byte[] unsigned(byte[] number) {
        return number[0] == 0 ? Arrays.copyOfRange(number, 1, number.length) : number;
    }
}
