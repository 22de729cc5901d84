package dev.rush.redis;

import org.jspecify.annotations.Nullable;


/**
 * The layouts of Redis's data that this release supports. A layout is a number that each hash tag
 * stores under {@link #NAME}; it stands for every format in which data of that tag may be stored,
 * including what the previous layout left there.
 *
 * <p>A release reads and writes {@link #newest}, and {@link #oldest} too, so that pods of the
 * previous release can run beside it. It writes the layout that Redis names: a script finds it in
 * the Lua local {@code layout}, read in the same atomic step as everything else.
 */
public final class Layout {

    /** Prefix of the error reply with which a script refuses data of an unknown layout. */
    public static final String ERROR = "LAYOUT";
    /** The error for a tag without a layout; an empty tag gets one soon. */
    public static final String ERROR_NONE = ERROR + " none";
    /** The layout's key, after its hash tag: {@code rush:{p07.3}:layout}. */
    public static final String NAME = "layout";

    private Layout() {
    }

    /** The earliest layout that this release reads and writes. */
    public static int oldest() {
        return 1;
    }

    /** The latest layout that this release reads and writes. */
    public static int newest() {
        return 1;
    }

    /** Whether this release reads and writes data of the layout that a tag names. */
    public static boolean isKnown(@Nullable String layout) {
        for (int known = oldest(); known <= newest(); known++) {
            if (Integer.toString(known).equals(layout)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The first lines of every script, which refuse data of an unknown layout. The layout's key is
     * the last of KEYS, and is removed from it.
     */
    static String fence() {
        StringBuilder unknown = new StringBuilder();
        for (int known = oldest(); known <= newest(); known++) {
            unknown.append(unknown.isEmpty() ? "" : " and ")
                    .append("layout ~= '").append(known).append('\'');
        }
        return "local layout = redis.call('GET', table.remove(KEYS))\nif " + unknown + " then\n"
                + "  return { err = '" + ERROR + " ' .. (layout or 'none') }\nend\n";
    }
}
