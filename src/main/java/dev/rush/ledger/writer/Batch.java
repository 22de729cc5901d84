package dev.rush.ledger.writer;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** What became of the entries of one transaction, other than that they are stored. */
final class Batch {

    private final List<Refused> refused = new ArrayList<>();
    private final List<Failed> failed = new ArrayList<>();
    private int dead;

    /**
     * An order or grab that a guard refused; the ledger keeps it so.
     *
     * @param subject its sale or rain
     */
    record Refused(boolean isGrab, String subject, String user, UUID id, String reason) {

        @Override
        public String toString() {
            return (isGrab ? "grab " + id + " of rain " : "order " + id + " of sale ") + subject
                    + ": " + reason;
        }
    }

    /**
     * What could not be stored for a reason of its own, and is to be tried again.
     *
     * @param counts whether this was one of its tries: not while the ledger only waits
     */
    record Failed(StreamEntry entry, String reason, boolean counts) {
    }

    void refuse(Refused one) {
        refused.add(one);
    }

    void fail(StreamEntry entry, String reason) {
        failed.add(new Failed(entry, reason, true));
    }

    /** A guard would refuse this, but Redis may know better than a ledger that lost something. */
    void postpone(StreamEntry entry, String reason) {
        failed.add(new Failed(entry, "the ledger may be behind Redis: " + reason, false));
    }

    /** What failed has failed often enough: an operator decides. */
    void giveUp() {
        dead++;
    }

    void add(Batch part) {
        refused.addAll(part.refused);
        failed.addAll(part.failed);
        dead += part.dead;
    }

    List<Refused> refused() {
        return refused;
    }

    List<Failed> failed() {
        return failed;
    }

    /** How many of the failed are dead letters now. */
    int dead() {
        return dead;
    }
}
