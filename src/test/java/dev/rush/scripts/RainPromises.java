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
final class RainPromises extends Window {
    private static final int BOARD_MAX = 100;

    private final List<Granted> granted = new ArrayList<>();
    private final Map<String, Granted> byKey = new HashMap<>();
    private final List<Granted> waiting = new ArrayList<>();
    private RainGate.Terms terms;
    private boolean isLost;

    RainPromises() {
        super("unknown-rain");
    }

    void prepare(RainGate.Terms prepared) {
        terms = prepared;
        open(prepared.opensAt(), prepared.closesAt());
    }

    void loseEnvelopes() {
        isLost = terms != null;
    }

    long sequence() {
        return granted.size();
    }

    String grab(Grab wanted, long backlog, long now) {
        Granted first = byKey.get(wanted.user() + " " + wanted.key());
        if (first != null) {
            return "replayed " + first.grab() + " " + answer(first);
        }
        if (wanted.deadline() == Deadline.BROKEN) {
            return Reply.DEFECT;
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
        String windowRefusal = refusal(now);
        if (windowRefusal != null) {
            return windowRefusal;
        }
        long taken = grabsOf(wanted.user()).size();
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
        return grab.nth() + " " + grab.number() + " " + grab.amount() + " " + grab.at();
    }

    /** By amount, the earlier grab first. Null for an unknown rain. */
    List<String> byGrab(int max) {
        return terms == null ? null : granted.stream()
                .sorted(Comparator.comparingLong(Granted::amount).reversed()
                        .thenComparingLong(Granted::number))
                .limit(Math.min(max, BOARD_MAX))
                .map(grab -> grab.user() + " " + grab.nth() + " " + grab.amount()).toList();
    }

    /** By sum, the earlier first grab first. Null for an unknown rain. */
    List<String> byUser(int max) {
        if (terms == null) {
            return null;
        }
        Map<String, Long> sums = new LinkedHashMap<>();
        granted.forEach(grab -> sums.merge(grab.user(), grab.amount(), Long::sum));
        return sums.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(max)
                .map(sum -> String.join(" ", sum.getKey(),
                        Integer.toString(grabsOf(sum.getKey()).size()), sum.getValue().toString()))
                .toList();
    }

    /** A user's grabs, newest first, and which wait. Null for an unknown rain. */
    List<String> grabs(String user) {
        if (terms == null) {
            return null;
        }
        List<String> texts = new ArrayList<>();
        List<Granted> grabs = grabsOf(user);
        for (Granted grab : grabs) {
            texts.add(0, grab.nth() + " " + grab.grab() + " " + grab.number() + " "
                    + grab.amount() + " " + grab.at() + " " + grab.key()
                    + (waiting.contains(grab) ? " waits" : ""));
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

    private List<Granted> grabsOf(String user) {
        return granted.stream().filter(grab -> grab.user().equals(user)).toList();
    }
}
