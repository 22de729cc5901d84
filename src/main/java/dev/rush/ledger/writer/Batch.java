package dev.rush.ledger.writer;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

/** What became of the entries of one transaction, other than that they are stored. */
final class Batch {

    private final List<Refused> refused = new ArrayList<>();
    private final List<Failed> failed = new ArrayList<>();
    private int dead;
    private int epoch;
    private long seq;

    /**
     * An order or grab that a guard refused; the ledger keeps it so.
     *
     * @param subject its sale or rain
     * @param isKnown whether it was refused before, and is delivered again
     */
    record Refused(boolean isGrab, String subject, String user, UUID id, String reason,
            boolean isKnown) {

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

    /**
     * It is of this epoch of the ledger, which has all up to this number or is about to. Parts that
     * are of several are of the first, as a later ledger may lack what was stored then.
     */
    void reach(int itsEpoch, long itsSeq) {
        epoch = epoch == 0 || itsEpoch == 0 ? epoch + itsEpoch : Math.min(epoch, itsEpoch);
        seq = Math.max(seq, itsSeq);
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
        reach(part.epoch, part.seq);
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

    int epoch() {
        return epoch;
    }

    /** The highest number of its entries. */
    long seq() {
        return seq;
    }

    /**
     * What became of these entries, for those who wait: ids with a blank between two, {@code !}
     * before what was refused and {@code ?} before what is to be tried again.
     *
     * @param isAwaited whether anybody waits for orders of a sale or grabs of a rain
     */
    String decided(List<StreamEntry> entries, Predicate<StreamEntry> isAwaited) {
        List<StreamEntry> awaited = entries.stream().filter(isAwaited).toList();
        if (awaited.isEmpty()) {
            return "";
        }
        Set<String> no = refused.stream().map(one -> one.id.toString()).collect(toSet());
        Set<String> later = failed.stream().map(one -> one.entry.name()).collect(toSet());
        return awaited.stream().map(StreamEntry::name).map(name -> no.contains(name) ? "!" + name
                : later.contains(name) ? "?" + name : name).collect(joining(" "));
    }
}
