package dev.rush.event;

import dev.rush.ledger.Position;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a client continues to read the feed.
 *
 * @param archiveRun number of the last archive run when the client got the cursor; it has missed
 *                   events if a later run archived events after the position
 */
record Cursor(Position position, int archiveRun) {

    /** The start of what is kept; never expires, whatever was archived before. */
    static final Cursor BEGINNING = new Cursor(Position.START, Integer.MAX_VALUE);

    private static final int RADIX = 36;
    private static final Pattern TEXT =
            Pattern.compile("([^.]*\\.[^.]*\\.[^.]*)(?:\\.([0-9a-z]{1,5}))?");

    /** Parses {@link #text}; null if it is malformed. */
    static @Nullable Cursor parse(String text) {
        Matcher parts = TEXT.matcher(text);
        Position position = parts.matches() ? Position.parse(parts.group(1)) : null;
        return position == null ? null : new Cursor(position, parts.group(2) == null ? 0
                : Integer.parseInt(parts.group(2), RADIX));
    }

    /** The opaque text for clients, at most 37 characters long. */
    String text() {
        return position.text()
                + (archiveRun == 0 ? "" : "." + Integer.toString(archiveRun, RADIX));
    }
}
