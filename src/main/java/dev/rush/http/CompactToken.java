package dev.rush.http;

import java.util.Arrays;

/**
 * The canonical form of a signed token: three parts of canonical base64url (RFC 7515, RFC 4648
 * section 3.5). Lenient decoders skip invalid digits and ignore spare bits, so one signed token has
 * millions of spellings; each would be a separate entry in a cache of tokens.
 */
final class CompactToken {

    /** Maximum length of a token. */
    static final int LENGTH_MAX = 4096;
    private static final int PARTS = 3;
    /** The value of each ASCII character as a base64url digit, or -1. */
    private static final byte[] DIGITS = digits();

    private CompactToken() {
    }

    /** Whether a text is a signed token in canonical form. Does not check its claims. */
    static boolean isCanonical(String token) {
        if (token.length() > LENGTH_MAX) {
            return false;
        }
        int start = 0;
        for (int part = 1; part < PARTS; part++) {
            int end = token.indexOf('.', start);
            if (end < 0 || !isCanonical(token, start, end)) {
                return false;
            }
            start = end + 1;
        }
        return isCanonical(token, start, token.length());
    }

    private static boolean isCanonical(String token, int start, int end) {
        int digit = -1;
        for (int i = start; i < end; i++) {
            char c = token.charAt(i);
            digit = c < DIGITS.length ? DIGITS[c] : -1;
            if (digit < 0) {
                return false;
            }
        }
        // Two digits carry one byte and four spare bits, three carry two bytes and two spare bits.
        return end > start && switch ((end - start) % 4) {
            case 0 -> true;
            case 2 -> (digit & 0b1111) == 0;
            case 3 -> (digit & 0b11) == 0;
            default -> false;
        };
    }

    private static byte[] digits() {
        String alphabet =
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        byte[] digits = new byte[128];
        Arrays.fill(digits, (byte) -1);
        for (int i = 0; i < alphabet.length(); i++) {
            digits[alphabet.charAt(i)] = (byte) i;
        }
        return digits;
    }
}
