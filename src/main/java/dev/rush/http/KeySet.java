package dev.rush.http;

import io.smallrye.jwt.util.KeyUtils;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.util.HashMap;
import java.util.Map;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.jwk.Use;
import org.jose4j.lang.JoseException;
import org.jspecify.annotations.Nullable;

/** Public keys by id, from one fetch. */
final class KeySet {

    private static final int KEYS_MAX = 100;
    /** The id of a key that has none. */
    private static final String NAMELESS = "";

    private final Map<String, PublicKey> keys;

    private KeySet(Map<String, PublicKey> keys) {
        this.keys = keys;
    }

    /**
     * The keys of a JSON Web Key Set (RFC 7517), or the single key of a PEM text.
     *
     * @param before keys of the previous fetch, or null; they are returned if nothing has changed
     * @throws IllegalArgumentException unless it has 1 to 100 keys that verify signatures
     */
    static KeySet parse(Buffer body, @Nullable KeySet before) {
        String text = body.toString(StandardCharsets.UTF_8).strip();
        Map<String, PublicKey> found = new HashMap<>();
        try {
            if (text.startsWith("{")) {
                for (JsonWebKey key : new JsonWebKeySet(text).getJsonWebKeys()) {
                    if (key instanceof PublicJsonWebKey verifying
                            && !Use.ENCRYPTION.equals(key.getUse())) {
                        found.put(key.getKeyId() == null ? NAMELESS : key.getKeyId(),
                                verifying.getPublicKey());
                    }
                }
            } else {
                found.put(NAMELESS, KeyUtils.decodePublicKey(text));
            }
        } catch (JoseException | GeneralSecurityException | ClassCastException e) {
            // The library casts members unchecked, so the list of keys may have another type.
            throw new IllegalArgumentException(e);
        }
        if (found.isEmpty() || found.size() > KEYS_MAX) {
            throw new IllegalArgumentException("found " + found.size() + " keys, not 1 to "
                    + KEYS_MAX);
        }
        return before != null && before.keys.equals(found) ? before : new KeySet(found);
    }

    int size() {
        return keys.size();
    }

    /**
     * The key that a token names, or null.
     *
     * @param id null if the token names none; then a single key is used
     */
    @Nullable PublicKey find(@Nullable String id) {
        PublicKey key = id == null ? null : keys.get(id);
        if (key != null) {
            return key;
        }
        return keys.size() == 1 && (id == null || keys.containsKey(NAMELESS))
                ? keys.values().iterator().next() : null;
    }
}
