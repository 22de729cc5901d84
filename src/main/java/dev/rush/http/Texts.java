package dev.rush.http;

/** Validation of texts from clients. No valid text can break out of its field in a key or log. */
public final class Texts {

    /** What {@link #isId} accepts, as a regular expression. */
    public static final String ID_PATTERN = "^(?!\\.{1,2}$)[A-Za-z0-9._-]{1,64}$";
    /** What {@link #isUser} accepts, as a regular expression. */
    public static final String USER_PATTERN = "^(?!\\.{1,2}$)[!-~]{1,128}$";
    /** What {@link #isVisible} accepts, as a regular expression. */
    public static final String VISIBLE_PATTERN = "^[!-~]{1,128}$";

    private static final int ID_MAX = 64;
    private static final int VISIBLE_MAX = 128;

    private Texts() {
    }

    /**
     * Whether a text may be the id of a sale, rain or item: 1–64 of {@code A-Za-z0-9._-}, but not
     * {@code .} or {@code ..}, which clients resolve as folders in a path.
     */
    public static boolean isId(String text) {
        if (text == null || text.isEmpty() || text.length() > ID_MAX || isFolder(text)) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
            if (!letter && c != '-' && c != '.' && c != '_') {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether a text may be a user: 1–128 visible ASCII characters, but not {@code .} or {@code
     * ..}, which a path cannot express, so that such a user could not be blocked or looked up.
     */
    public static boolean isUser(String text) {
        return isVisible(text) && !isFolder(text);
    }

    private static boolean isFolder(String text) {
        return text.equals(".") || text.equals("..");
    }

    /** Whether a text may be an idempotency key: 1–128 visible ASCII characters. */
    public static boolean isVisible(String text) {
        if (text == null || text.isEmpty() || text.length() > VISIBLE_MAX) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= ' ' || c > '~') {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether a text is printable: without control characters, which stores and logs handle badly,
     * and without unpaired surrogates, which cannot be encoded.
     */
    public static boolean isPrintable(String text) {
        return text.codePoints().noneMatch(c -> Character.isISOControl(c)
                || c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
    }
}
