package dev.rush.ledger.writer;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

/** The entries of one transaction that were refused, failed or deferred; all others are stored. */
final class Batch {

    private final List<Refused> refused = new ArrayList<>();
    private final List<Failed> failed = new ArrayList<>();
    private final List<StreamEntry> deferred = new ArrayList<>();
    private int dead;
    private int epoch;
    private long seq;

    /**
     * An order or grab that a guard refused; the ledger keeps it as refused.
     *
     * @param subject its sale or rain
     * @param isKnown whether it was refused before, and was delivered again
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
     * An entry that could not be stored for a reason of its own, and will be retried.
     *
     * @param counts whether this counts as a try; false if it was only postponed
     */
    record Failed(StreamEntry entry, String reason, boolean counts) {
    }

    /**
     * Records the epoch of the ledger, and the number up to which it has everything after the
     * commit. Of several epochs the first counts, because the ledger of a later one may lack what
     * was stored then.
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

    /** A guard would refuse this, but a ledger that lost something may be wrong. */
    void postpone(StreamEntry entry, String reason) {
        failed.add(new Failed(entry, "the ledger may be behind Redis: " + reason, false));
    }

    /**
     * Leaves entries that have a number in the stream until what the ledger lost is stored again.
     * Returns the others, which the refill has put into it. All orders of an entry stay together.
     */
    List<StreamEntry> deferNumbered(List<StreamEntry> entries) {
        entries.stream().filter(entry -> entry.seq() > 0).forEach(deferred::add);
        return withoutDeferred(entries);
    }

    /** Postpones what was deferred, because it is not in the stream. */
    void postponeDeferred() {
        deferred.forEach(entry -> postpone(entry, "what it lost is stored first"));
        deferred.clear();
    }

    /** Marks what failed as dead letters, for an operator to decide. */
    void giveUp() {
        dead++;
    }

    void add(Batch part) {
        refused.addAll(part.refused);
        failed.addAll(part.failed);
        deferred.addAll(part.deferred);
        dead += part.dead;
        reach(part.epoch, part.seq);
    }

    List<Refused> refused() {
        return refused;
    }

    /** Whether an order was refused, which is marked in its buyer's record. */
    boolean refusesOrder() {
        return refused.stream().anyMatch(one -> !one.isGrab());
    }

    List<Failed> failed() {
        return failed;
    }

    boolean hasDeferred() {
        return !deferred.isEmpty();
    }

    /** Those of these entries that were not deferred. */
    List<StreamEntry> withoutDeferred(List<StreamEntry> entries) {
        if (deferred.isEmpty()) {
            return entries;
        }
        Set<String> left = deferred.stream().map(StreamEntry::id).collect(toSet());
        return entries.stream().filter(entry -> !left.contains(entry.id())).toList();
    }

    /** The number of dead letters among the failed. */
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
     * The decisions about these entries for waiting callers: ids separated by spaces, with
     * {@code !} before a refused one and {@code ?} before one that will be retried.
     *
     * @param isAwaited whether callers may wait for orders of a sale or grabs of a rain
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
