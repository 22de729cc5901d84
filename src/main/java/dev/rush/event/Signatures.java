package dev.rush.event;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs deliveries as Standard Webhooks specifies. */
final class Signatures {

    private static final String PREFIX = "whsec_";
    private static final String ALGORITHM = "HmacSHA256";
    private static final int BYTES_MIN = 24;
    private static final int BYTES_MAX = 64;

    private Signatures() {
    }

    /** Whether a text is a secret: {@code whsec_} and 24 to 64 bytes in base64. */
    static boolean isSecret(String text) {
        if (text == null || !text.startsWith(PREFIX) || text.length() > 2 * BYTES_MAX) {
            return false;
        }
        try {
            int bytes = key(text).length;
            return bytes >= BYTES_MIN && bytes <= BYTES_MAX;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static byte[] key(String secret) {
        return Base64.getDecoder().decode(secret.substring(PREFIX.length()));
    }

    /** The header {@code webhook-signature}: one signature for each secret. */
    static String of(List<String> secrets, String id, long seconds, String body) {
        byte[] content = (id + "." + seconds + "." + body).getBytes(StandardCharsets.UTF_8);
        return secrets.stream().map(secret -> "v1," + sign(secret, content))
                .collect(Collectors.joining(" "));
    }

    private static String sign(String secret, byte[] content) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key(secret), ALGORITHM));
            return Base64.getEncoder().encodeToString(mac.doFinal(content));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
