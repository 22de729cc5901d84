package dev.rush.ledger.writer;

import dev.rush.http.Texts;
import dev.rush.ledger.Actor;
import dev.rush.redis.Reply;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A change that a script decided, as written by {@code include/control.lua} for the ledger.
 *
 * @param entry   of the stream
 * @param id      of the change, the same for every redelivery
 * @param kind    of what was changed: sale, item, rain or blocklist
 * @param subject what was changed
 * @param version of the change; 0 if changes of this kind have no version
 * @param atMs    the time, by Redis's clock
 * @param before  null if unknown
 * @param after   null if unknown; a reschedule has the sale's end
 * @param cause   null if none was given
 * @param terms   the new definition, as JSON; null if it did not change
 */
record ControlEntry(String entry, UUID id, String kind, String subject, String action,
        long version, long atMs, Actor actor, @Nullable Long before, @Nullable Long after,
        @Nullable String cause, @Nullable String terms) {

    static final String SALE = "sale";
    static final String RAIN = "rain";
    static final String CLOSE = "close";
    static final String RESCHEDULE = "reschedule";
    private static final String NONE = "-";
    private static final int WORDS = 9;
    private static final Pattern ACTOR = Pattern.compile("(operator|payer|buyer|service):.+");
    /** The event names of the scripts' actions. */
    static final Map<String, String> DONE = Map.of("pause", "paused", "resume", "resumed",
            CLOSE, "closed", "total", "total-changed", "correct-total", "total-corrected",
            "correct-ordered", "ordered-corrected", "add", "added", "remove", "removed",
            RESCHEDULE, "rescheduled");

    /**
     * Parses an entry.
     *
     * @throws IllegalArgumentException if it was not written by a script of Rush
     */
    static ControlEntry of(String entry, Reply fields) {
        Map<String, String> named = fields.pairs();
        String change = named.getOrDefault("change", "");
        List<String> words = List.of(change.split(" "));
        if (words.size() != WORDS || !DONE.containsKey(words.get(3))
                || !ACTOR.matcher(words.get(6)).matches()
                || words.get(3).equals(RESCHEDULE) != named.containsKey("terms")
                || words.get(3).equals(RESCHEDULE) && words.get(8).equals(NONE)
                || !Texts.isPrintable(change + named.getOrDefault("cause", ""))) {
            throw new IllegalArgumentException("not a change: " + named);
        }
        String terms = named.get("terms");
        if (terms != null) {
            Rescheduled.check(terms);
        }
        return new ControlEntry(entry, UUID.fromString(words.get(0)), words.get(1),
                words.get(2), words.get(3), orZero(number(words.get(4))),
                orZero(number(words.get(5))), new Actor(words.get(6)), number(words.get(7)),
                number(words.get(8)), named.get("cause"), terms);
    }

    private static @Nullable Long number(String word) {
        return word.equals(NONE) ? null : Long.valueOf(word);
    }

    private static long orZero(@Nullable Long number) {
        return number == null ? 0 : number;
    }

    /** Whether this pauses or resumes something. */
    boolean isPause() {
        return action.equals("pause") || action.equals("resume");
    }

    /** The event, for example {@code sale.paused}. */
    String happened() {
        return kind + "." + DONE.get(action);
    }

    /** A value of before or after in readable form. */
    @Nullable Object value(@Nullable Long number) {
        return isPause() && number != null ? (Object) (number == 1) : number;
    }
}
