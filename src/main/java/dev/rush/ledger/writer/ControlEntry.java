package dev.rush.ledger.writer;

import dev.rush.ledger.Actor;
import dev.rush.redis.Reply;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * A change that a script decided, as {@code include/control.lua} hands it to the ledger.
 *
 * @param entry   of the stream
 * @param id      of the change, the same wherever it is delivered again
 * @param kind    of what was changed: sale, item, rain or blocklist
 * @param subject what was changed
 * @param version of the change; 0 where those are not counted
 * @param before  null where nobody knows
 * @param after   null where nobody knows
 * @param cause   null where none was given
 * @param terms   the new definition, as JSON; null where that is not what changed
 */
record ControlEntry(String entry, UUID id, String kind, String subject, String action,
        long version, Actor actor, Long before, Long after, String cause,
        String terms) {

    static final String SALE = "sale";
    static final String RAIN = "rain";
    static final String CLOSE = "close";
    static final String RESCHEDULE = "reschedule";
    private static final String NONE = "-";
    private static final int WORDS = 9;
    private static final Pattern ACTOR = Pattern.compile("(operator|payer|buyer|service):.+");
    /** What each action of a script is called once it has happened. */
    private static final Map<String, String> DONE = Map.of("pause", "paused", "resume", "resumed",
            CLOSE, "closed", "total", "total-changed", "correct-total", "total-corrected",
            "correct-ordered", "ordered-corrected", "add", "added", "remove", "removed",
            RESCHEDULE, "rescheduled");

    /**
     * What an entry says.
     *
     * @throws IllegalArgumentException if no script of ours wrote it
     */
    static ControlEntry of(String entry, Reply fields) {
        Map<String, String> named = fields.pairs();
        List<String> words = List.of(named.getOrDefault("change", "").split(" "));
        if (words.size() != WORDS || !DONE.containsKey(words.get(3))
                || !ACTOR.matcher(words.get(6)).matches()
                || words.get(3).equals(RESCHEDULE) != named.containsKey("terms")) {
            throw new IllegalArgumentException("no change: " + named);
        }
        return new ControlEntry(entry, UUID.fromString(words.get(0)), words.get(1),
                words.get(2), words.get(3), orZero(number(words.get(4))),
                new Actor(words.get(6)), number(words.get(7)), number(words.get(8)),
                named.get("cause"), named.get("terms"));
    }

    private static Long number(String word) {
        return word.equals(NONE) ? null : Long.valueOf(word);
    }

    private static long orZero(Long number) {
        return number == null ? 0 : number;
    }

    /** Whether this pauses or resumes something. */
    boolean isPause() {
        return action.equals("pause") || action.equals("resume");
    }

    /** What happened, for example {@code sale.paused}. */
    String happened() {
        return kind + "." + DONE.get(action);
    }

    /** Something of before or after as people read it. */
    Object value(Long number) {
        return isPause() && number != null ? (Object) (number == 1) : number;
    }
}
