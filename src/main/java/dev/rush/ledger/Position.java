package dev.rush.ledger;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The position of a reader in the journal. Changes are ordered by epoch, transaction and place in
 * the transaction.
 *
 * @param epoch rises with every PostgreSQL process that is checked
 * @param xact  the transaction's id, which is not comparable between epochs
 * @param place rises within the transaction; the event feed and the audit count places differently,
 *              so only positions of one of them can be compared
 */
public record Position(int epoch, long xact, long place) implements Comparable<Position> {

    /** Before every change. */
    public static final Position START = new Position(1, 0, 0);

    private static final int RADIX = 36;
    private static final Comparator<Position> ORDER = Comparator.comparingInt(Position::epoch)
            .thenComparingLong(Position::xact).thenComparingLong(Position::place);
    private static final Pattern TEXT =
            Pattern.compile("([0-9a-z]{1,5})\\.([0-9a-z]{1,12})\\.([0-9a-z]{1,12})");

    /** Parses {@link #text}; null if it is malformed. */
    public static @Nullable Position parse(String text) {
        Matcher parts = TEXT.matcher(text);
        return !parts.matches() ? null : new Position(Integer.parseInt(parts.group(1), RADIX),
                Long.parseLong(parts.group(2), RADIX), Long.parseLong(parts.group(3), RADIX));
    }

    @Override
    public int compareTo(Position other) {
        return ORDER.compare(this, other);
    }

    /** The position as an opaque cursor for clients, at most 31 characters long. */
    public String text() {
        return Integer.toString(epoch, RADIX) + "." + Long.toString(xact, RADIX) + "."
                + Long.toString(place, RADIX);
    }
}
