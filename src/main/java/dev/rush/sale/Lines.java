package dev.rush.sale;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * The lines of a purchase, in the format of the script.
 *
 * @param text   {@code sku:quantity,sku:quantity}, each sku once
 * @param digest independent of the order of the lines; {@code =} stands for {@code text}
 * @param units  units by sku, in the same order
 */
record Lines(String text, String digest, Map<String, Long> units) {

    private static final int DIGEST_PLAIN_MAX = 64;

    static Lines of(String sku, long quantity) {
        return new Lines(sku + ":" + quantity, "=", Map.of(sku, quantity));
    }

    static Lines of(Map<String, Long> quantities) {
        String text = join(quantities);
        String canonical = join(new TreeMap<>(quantities));
        // "=" stands for the text, which depends on the order, so only a single line may use it.
        String digest = quantities.size() == 1 ? "="
                : canonical.length() <= DIGEST_PLAIN_MAX ? canonical : sha256(canonical);
        return new Lines(text, digest, quantities);
    }

    private static String join(Map<String, Long> quantities) {
        StringBuilder text = new StringBuilder();
        quantities.forEach((sku, quantity) ->
                text.append(text.isEmpty() ? "" : ",").append(sku).append(':').append(quantity));
        return text.toString();
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256")
                    .digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
