package dev.rush.sale;

import dev.rush.ledger.Lines;
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
record PurchaseLines(String text, String digest, Map<String, Long> units) {

    private static final int DIGEST_PLAIN_MAX = 64;

    static PurchaseLines of(Map<String, Long> quantities) {
        // "=" stands for the text, which depends on the order, so only a single line may use it.
        return new PurchaseLines(Lines.text(quantities), quantities.size() == 1 ? "="
                : digest(Lines.text(new TreeMap<>(quantities))), quantities);
    }

    private static String digest(String canonical) {
        return canonical.length() <= DIGEST_PLAIN_MAX ? canonical : sha256(canonical);
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
