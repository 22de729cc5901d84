package dev.rush.http;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.rush.RushConfig;
import io.smallrye.jwt.auth.principal.JWTParser;
import io.smallrye.jwt.auth.principal.ParseException;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import org.eclipse.microprofile.jwt.JsonWebToken;
import org.jboss.logging.Logger;
import org.jose4j.jwx.JsonWebStructure;
import org.jose4j.lang.JoseException;
import org.jspecify.annotations.Nullable;

/**
 * Verifies bearer tokens and caches valid ones, because a caller in a rush sends the same one
 * repeatedly. The key of the cache is the token's SHA-256, never its text, and the value only its
 * caller, so an entry takes less than 400 bytes whatever was sent. An entry is valid until the
 * token expires or the trusted keys change. Invalid tokens are not cached: checking a wrong
 * signature costs about 50 µs.
 */
@Singleton
public class TokenVerifier {

    private static final Logger LOG = Logger.getLogger(TokenVerifier.class);
    /** Maximum number of cached tokens per pod, at most 20 MB. */
    private static final int VERIFIED_MAX = 50_000;

    /** Maximum difference between the clocks of the issuer and this pod. */
    private static final long CLOCK_SKEW_SECONDS = 60;

    private final JWTParser parser;
    private final SigningKeys keys;
    private final long maxAgeSeconds;
    /** Evicted by the request thread, because each new user is an entry. */
    private final Cache<Digest, Verified> verified = Caffeine.newBuilder()
            .maximumSize(VERIFIED_MAX).executor(Runnable::run).build();

    /**
     * A caller with a valid token.
     *
     * @param keys the keys that were trusted then; null unless they are fetched
     */
    private record Verified(Caller caller, long expiresAtSeconds, @Nullable KeySet keys) {

        boolean isValid(@Nullable KeySet trusted) {
            return keys == trusted && expiresAtSeconds > System.currentTimeMillis() / 1000;
        }
    }

    /** A SHA-256 as the key of a map. */
    private record Digest(long first, long second, long third, long fourth) {

        static Digest of(String token) {
            try {
                ByteBuffer bytes = ByteBuffer.wrap(MessageDigest.getInstance("SHA-256")
                        .digest(token.getBytes(StandardCharsets.US_ASCII)));
                return new Digest(bytes.getLong(), bytes.getLong(), bytes.getLong(),
                        bytes.getLong());
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }

        // Written by hand because every request looks one up: in the native executable GraalVM
        // interprets a record's generated `equals`.
        @Override
        public boolean equals(Object other) {
            return other instanceof Digest digest && first == digest.first
                    && second == digest.second && third == digest.third
                    && fourth == digest.fourth;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(first);
        }
    }

    @Inject
    TokenVerifier(JWTParser parser, SigningKeys keys, RushConfig config) {
        this.parser = parser;
        this.keys = keys;
        this.maxAgeSeconds = config.token().maxAge().toSeconds();
    }

    /**
     * The caller of a token; null if it is not in canonical form, longer than 4 KiB, not signed by
     * a currently trusted key, expired, too old, or has no valid user.
     *
     * @throws ProblemException {@code unavailable} before the keys have been fetched
     */
    @Nullable Caller caller(String token) {
        if (!CompactToken.isCanonical(token)) {
            return null;
        }
        KeySet trusted = keys.known();
        if (trusted == null && keys.isRemote()) {
            throw new ProblemException(Problem.of(OutcomeCode.UNAVAILABLE,
                    "The token verification keys have not been fetched yet."));
        }
        Digest digest = Digest.of(token);
        Verified known = verified.getIfPresent(digest);
        if (known != null && known.isValid(trusted)) {
            return known.caller;
        }
        try {
            JsonWebToken jwt = trusted == null ? parser.parse(token) : verify(token, trusted);
            if (jwt == null) {
                return null;
            }
            long ends = endsAtSeconds(jwt);
            Caller caller = ends > 0 ? Caller.of(jwt.getSubject(), jwt.getGroups()) : null;
            if (caller != null) {
                verified.put(digest, new Verified(caller, ends, trusted));
            }
            return caller;
        } catch (ParseException | JoseException | ClassCastException e) {
            // The library casts fields of the header unchecked, so a key id may be a number.
            LOG.debug("A token was refused", e);
            return null;
        }
    }

    /** The token's claims; null if its key is not trusted. */
    private @Nullable JsonWebToken verify(String token, KeySet trusted)
            throws ParseException, JoseException {
        PublicKey key = trusted.find(
                JsonWebStructure.fromCompactSerialization(token).getKeyIdHeaderValue());
        if (key == null) {
            keys.reportUnknownKey();
            return null;
        }
        return parser.verify(token, key);
    }

    /**
     * When a token ends by {@code exp} or by {@code rush.token.max-age}, whichever comes first; 0
     * if it exceeds that age or was issued in the future. The parser refuses one without {@code
     * iat}.
     */
    private long endsAtSeconds(JsonWebToken jwt) {
        long now = System.currentTimeMillis() / 1000;
        long issued = jwt.getIssuedAtTime();
        long oldest = issued + maxAgeSeconds + CLOCK_SKEW_SECONDS;
        return issued <= now + CLOCK_SKEW_SECONDS && oldest > now
                ? Math.min(jwt.getExpirationTime(), oldest) : 0;
    }
}
