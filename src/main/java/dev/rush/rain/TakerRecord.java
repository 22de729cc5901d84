package dev.rush.rain;

import dev.rush.ledger.GrabRows;
import dev.rush.redis.Reply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One user's grabs from a rain as recorded in Redis.
 *
 * @param newestFirst all of them
 */
record TakerRecord(List<Line> newestFirst) {

    /** A grab, and whether the ledger may not have it yet. */
    private record Line(GrabView view, boolean isWaiting) {
    }

    /** The record in a reply of {@code grabs.lua}, or null for an unknown rain. */
    static @Nullable TakerRecord of(String rain, String user, Reply reply) {
        if (reply.isNull()) {
            return null;
        }
        long waitingFrom = reply.at(0).isNull() ? Long.MAX_VALUE : reply.at(0).number();
        String record = reply.at(1).text();
        List<Line> lines = new ArrayList<>();
        for (String line : record == null ? List.<String>of() : record.lines().toList()) {
            String[] words = line.split(" ");
            lines.add(0, new Line(GrabView.accepted(rain, user, words[0],
                    Integer.toString(lines.size() + 1), words[2], words[3], words[4]),
                    Long.parseLong(words[5]) >= waitingFrom));
        }
        return new TakerRecord(lines);
    }

    /** Whether a grab may be queued in the stream. */
    boolean isWaiting(String grab) {
        return newestFirst.stream()
                .anyMatch(line -> line.isWaiting && line.view.grab().equals(grab));
    }

    /** Whether all of them may be queued in the stream, so that the ledger need not be read. */
    boolean areAllWaiting() {
        return newestFirst.stream().allMatch(Line::isWaiting);
    }

    /**
     * Grabs as shown to clients, newest first: those that are queued as accepted, the others with
     * their status in the ledger, and confirmed ones that this record lacks.
     *
     * @param stored the user's grabs in the ledger
     */
    List<GrabView> views(String rain, String user, List<GrabRows.Stored> stored) {
        Map<String, GrabRows.Stored> lost = new HashMap<>();
        stored.forEach(grab -> lost.put(grab.id().toString(), grab));
        List<GrabView> views = new ArrayList<>();
        for (Line line : newestFirst) {
            GrabRows.Stored known = lost.remove(line.view.grab());
            views.add(line.isWaiting || known == null ? line.view
                    : line.view.decided(known.isRejected()));
        }
        lost.values().removeIf(GrabRows.Stored::isRejected);
        if (!lost.isEmpty()) {
            lost.values().forEach(grab -> views.add(GrabView.of(rain, user, grab)));
            // The ids begin with the time.
            views.sort(Comparator.comparing(GrabView::grab).reversed());
        }
        return views;
    }
}
