package dev.rush.ledger;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a reader of the journal is. All changes have an order: by epoch, by transaction and by
 * place in it.
 *
 * @param epoch rises with every PostgreSQL process that is checked
 * @param xact  the transaction's id, which means nothing in another epoch
 * @param place rises within the transaction
 */
public record Position(int epoch, long xact, long place) {

    /** Before every change. */
    public static final Position START = new Position(1, 0, 0);

    private static final int RADIX = 36;
    private static final Pattern TEXT =
            Pattern.compile("([0-9a-z]{1,5})\\.([0-9a-z]{1,12})\\.([0-9a-z]{1,12})");

    /** The position that {@link #text} spells; null if the text is none. */
    public static Position parse(String text) {
        Matcher parts = TEXT.matcher(text);
        return !parts.matches() ? null : new Position(Integer.parseInt(parts.group(1), RADIX),
                Long.parseLong(parts.group(2), RADIX), Long.parseLong(parts.group(3), RADIX));
    }

    /** As clients have it; it tells them nothing and is at most 31 characters long. */
    public String text() {
        return Integer.toString(epoch, RADIX) + "." + Long.toString(xact, RADIX) + "."
                + Long.toString(place, RADIX);
    }
}
