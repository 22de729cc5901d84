package dev.rush.redis;

/**
 * The layouts of Redis's data that this release knows. A layout is a number that each hash tag
 * carries under {@link #NAME}; it stands for every way in which data of that tag may be spelled,
 * what the layout before left there included.
 *
 * <p>A release reads and writes {@link #newest}, and {@link #oldest} too, so that pods of the
 * release before may run beside it. Whichever Redis names is written: a script finds it in the Lua
 * local {@code layout}, read in the same step as all else that the script does.
 */
public final class Layout {

    /** How an error reply begins by which a script refuses data of a layout it does not know. */
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
    public static boolean isKnown(String layout) {
        for (int known = oldest(); known <= newest(); known++) {
            if (Integer.toString(known).equals(layout)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The first lines of every script: it does nothing to data of a layout that is not known. The
     * layout's key is the last of KEYS, and is taken off.
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
