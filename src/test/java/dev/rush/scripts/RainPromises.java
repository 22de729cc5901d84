package dev.rush.scripts;

import dev.rush.scripts.RainGate.Grab;
import dev.rush.scripts.RainGate.Granted;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the scripts of one rain promise, in the words of their replies. */
final class RainPromises {
    private static final int BOARD_MAX = 100;

    private final List<Granted> granted = new ArrayList<>();
    private final Map<String, Granted> byKey = new HashMap<>();
    private final List<Granted> waiting = new ArrayList<>();
    private RainGate.Terms terms;
    private boolean paused;
    private boolean closed;
    private boolean isLost;
    private long changes;

    void prepare(RainGate.Terms prepared) {
        terms = prepared;
    }

    void loseEnvelopes() {
        isLost = terms != null;
    }

    /** How often anything but a grab has changed the rain. */
    long changes() {
        return changes;
    }

    long sequence() {
        return granted.size();
    }

    String grab(Grab wanted, long backlog, long now) {
        Granted first = byKey.get(wanted.user() + " " + wanted.key());
        if (first != null) {
            return "replayed " + answer(first);
        }
        if (now > wanted.deadline()) {
            return "unavailable";
        }
        if (terms == null) {
            return "unknown-rain";
        }
        if (isLost) {
            return "not-loaded";
        }
        if (paused) {
            return "paused";
        }
        if (now < terms.opensAt()) {
            return "not-open " + terms.opensAt();
        }
        if (isClosed(now)) {
            return "closed";
        }
        long taken = of(wanted.user()).size();
        if (taken >= terms.limit()) {
            return "limit-reached " + terms.limit() + " " + taken;
        }
        if (granted.size() == terms.amounts().size()) {
            return "empty";
        }
        if (backlog > 0 && waiting.size() >= backlog) {
            return "backlogged";
        }
        return grant(wanted, backlog, now, taken);
    }

    private String grant(Grab wanted, long backlog, long now, long taken) {
        long number = granted.size() + 1;
        Granted grab = new Granted(wanted.grab(), wanted.user(), wanted.key(), number, taken + 1,
                terms.amounts().get((int) number - 1), now, number);
        granted.add(grab);
        byKey.put(wanted.user() + " " + wanted.key(), grab);
        if (backlog > 0) {
            waiting.add(grab);
        }
        return "accepted " + answer(grab);
    }

    private static String answer(Granted grab) {
        return grab.grab() + " " + grab.nth() + " " + grab.number() + " " + grab.amount() + " "
                + grab.at();
    }

    private boolean isClosed(long now) {
        return closed || terms.closesAt() > 0 && now >= terms.closesAt();
    }

    /** Steers at an instant that lies clearly before or after the end of the rain. */
    String steer(String action, long now) {
        if (terms == null) {
            return "unknown-rain";
        }
        if (action.equals("close")) {
            changes += closed ? 0 : 1;
            closed = true;
            return "done";
        }
        if (isClosed(now)) {
            return "closed";
        }
        changes += paused == action.equals("pause") ? 0 : 1;
        paused = action.equals("pause");
        return "done";
    }

    /** Whether the rain ends at an instant between these, so that nobody can say what it is. */
    boolean endsBetween(long from, long to) {
        return terms != null && terms.closesAt() >= from && terms.closesAt() <= to;
    }

    /** By amount, the earlier grab first. Null for an unknown rain. */
    List<String> byGrab(int most) {
        return terms == null ? null : granted.stream()
                .sorted(Comparator.comparingLong(Granted::amount).reversed()
                        .thenComparingLong(Granted::number))
                .limit(Math.min(most, BOARD_MAX))
                .map(grab -> grab.user() + " " + grab.nth() + " " + grab.amount()).toList();
    }

    /** By sum, the earlier first grab first. Null for an unknown rain. */
    List<String> byUser(int most) {
        if (terms == null) {
            return null;
        }
        Map<String, Long> sums = new LinkedHashMap<>();
        granted.forEach(grab -> sums.merge(grab.user(), grab.amount(), Long::sum));
        return sums.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(most)
                .map(sum -> sum.getKey() + " " + of(sum.getKey()).size() + " " + sum.getValue())
                .toList();
    }

    /** A user's grabs, newest first. Null for an unknown rain. */
    List<String> grabs(String user, int most) {
        if (terms == null) {
            return null;
        }
        List<String> texts = new ArrayList<>();
        List<Granted> grabs = of(user);
        for (int i = grabs.size() - 1; i >= Math.max(0, grabs.size() - most); i--) {
            Granted grab = grabs.get(i);
            texts.add(grab.nth() + " " + grab.grab() + " " + grab.number() + " " + grab.amount()
                    + " " + grab.at() + " " + grab.key());
        }
        return texts;
    }

    String counters() {
        return terms == null ? null : granted.size() + " "
                + granted.stream().mapToLong(Granted::amount).sum() + " "
                + (isLost ? 0 : terms.amounts().size() - granted.size());
    }

    List<Granted> drain() {
        List<Granted> drained = List.copyOf(waiting);
        waiting.clear();
        return drained;
    }

    private List<Granted> of(String user) {
        return granted.stream().filter(grab -> grab.user().equals(user)).toList();
    }
}
