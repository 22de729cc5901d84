package dev.rush.http;

import java.util.Arrays;

/**
 * The one spelling of a signed token: three parts of canonical base64url (RFC 7515, RFC 4648
 * section 3.5). Lenient decoders skip what is no digit and ignore spare bits, so that one signed
 * token can be spelled in millions of ways; each would be a token of its own to whoever remembers
 * tokens.
 */
final class CompactToken {

    /** Characters of the longest token that is looked at. */
    static final int LENGTH_MAX = 4096;
    private static final int PARTS = 3;
    /** The value of each ASCII character as a digit of base64url, -1 where it is none. */
    private static final byte[] DIGITS = digits();

    private CompactToken() {
    }

    /** Whether a text is a signed token in its canonical spelling. Says nothing of its claims. */
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
