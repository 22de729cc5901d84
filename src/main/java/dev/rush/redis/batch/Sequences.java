package dev.rush.redis.batch;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.Epoch;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.Startup;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jboss.logging.Logger;

/**
 * The highest sequence number that this pod has seen of each partition. Sequences only grow; one
 * that goes back means that Redis lost accepted orders in a failover or restart. They are counted
 * and alarmed (metric {@code rush_redis_sequence_lost_total}) and told to whom it concerns
 * ({@link SequenceLost}), never passed over in silence. Orders of other pods may have taken the
 * lost numbers by the time this pod asks again; so a number is compared with the one at which the
 * next {@link Epoch} began. Thread-safe.
 */
@Startup
@Singleton
public class Sequences {

    private static final Logger LOG = Logger.getLogger(Sequences.class);

    private final AtomicReferenceArray<Seen> seen;
    /** The lowest number to which each partition fell in the last loss that was noticed. */
    private final long[] lows;
    /** Up to where each partition's numbers of the epoch before this one are counted as lost. */
    private final long[] highs;
    private final Event<SequenceLost> events;
    private final Counter lost;

    /** The highest number, how many losses were noticed, and the epochs, oldest first. */
    private record Seen(long number, int losses, List<Epoch> epochs) {
        Epoch epoch() {
            return epochs.isEmpty() ? null : epochs.get(epochs.size() - 1);
        }

        /** The epoch that began after that one, or null. */
        Epoch after(Epoch epoch) {
            int place = epochs.lastIndexOf(epoch);
            return place < 0 || place == epochs.size() - 1 ? null : epochs.get(place + 1);
        }

        /** Since when the numbers were given out that the next epoch does not know. */
        long since(Epoch next) {
            int end = epochs.lastIndexOf(next);
            for (int i = (end < 0 ? epochs.size() : end) - 1; i >= 0; i--) {
                if (epochs.get(i).low() <= next.low()) {
                    return epochs.get(i).begunMs();
                }
            }
            return 0;
        }

        /** Whether a call in an epoch was in that one, as far as Redis tells epochs. */
        boolean isIn(Epoch epoch, Epoch other) {
            return epoch.equals(Epoch.UNKNOWN) || epoch.equals(other);
        }
    }

    /**
     * What is known of a partition before a call is sent.
     *
     * @param seen   the highest number; the call cannot begin below it
     * @param losses how many losses were noticed; a reply to a call from before the last of them
     *               may come from a master that is none any more
     * @param epoch  the latest epoch, or null
     */
    record Mark(long seen, int losses, Epoch epoch) {
    }

    /** Nothing seen yet. */
    @Inject
    public Sequences(Partitions partitions, Event<SequenceLost> events, MeterRegistry registry) {
        this.seen = new AtomicReferenceArray<>(Collections.nCopies(
                partitions.count(), new Seen(0, 0, List.of())).toArray(Seen[]::new));
        this.lows = new long[partitions.count()];
        this.highs = new long[partitions.count()];
        this.events = events;
        this.lost = Counter.builder("rush.redis.sequence.lost")
                .description("Accepted orders and grabs that Redis lost, seen by sequence")
                .register(registry);
    }

    /** What is known of a partition. To be read before a call is sent. */
    Mark mark(Partition partition) {
        Seen now = seen.get(partition.index());
        return new Mark(now.number, now.losses, now.epoch());
    }

    /**
     * Takes note of a partition's epochs.
     *
     * @param epochs as Redis told them, oldest first; at least one
     * @return the one in which the node answers that told them
     */
    synchronized Epoch checkIn(Partition partition, List<Epoch> epochs) {
        int index = partition.index();
        Seen before = seen.get(index);
        Epoch answering = epochs.get(epochs.size() - 1);
        // One that is known may be an old master's, and its list is no news then.
        if (answering.equals(Epoch.UNKNOWN) || before.epochs.contains(answering)) {
            return answering;
        }
        Epoch next = Epoch.next(before.epochs, epochs);
        boolean isLost = next != null && before.number > next.low();
        seen.updateAndGet(index, now -> new Seen(isLost ? next.low() : now.number,
                now.losses + (isLost ? 1 : 0), List.copyOf(epochs)));
        highs[index] = 0;
        if (isLost) {
            lows[index] = next.low();
            tell(partition, before, next, before.number);
        }
        return answering;
    }

    /**
     * Takes note of a reply's number.
     *
     * @param before   what {@link #mark} said before the call was sent
     * @param epoch    in which the call was answered; null if that is not known
     * @param now      the number after the call
     * @param accepted steps that the call itself took
     * @param redisMs  Redis's time in the reply
     * @return whether the epoch is still one of those that are known; if not, it has to be asked
     *         for again
     */
    boolean observe(Partition partition, Mark before, Epoch epoch, long now, int accepted,
            long redisMs) {
        if (epoch == null) {
            return true;
        }
        int index = partition.index();
        Seen known = seen.get(index);
        if (known.after(epoch) != null) {
            late(partition, epoch, now);
        } else if (now - accepted < before.seen && known.isIn(epoch, before.epoch)) {
            lost(partition, before, now - accepted, now, redisMs);
        } else {
            seen.updateAndGet(index, last -> last.number < now && last.isIn(epoch, last.epoch())
                    && (before.losses == last.losses || !last.isIn(epoch, before.epoch))
                    ? new Seen(now, last.losses, last.epochs) : last);
        }
        return epoch.equals(Epoch.UNKNOWN) || seen.get(index).epochs.contains(epoch);
    }

    /** A master that is none any more accepted orders until now. */
    private synchronized void late(Partition partition, Epoch epoch, long now) {
        Seen known = seen.get(partition.index());
        Epoch next = known.after(epoch);
        if (next != null && now > next.low()) {
            if (!next.equals(known.epoch())) {
                highs[partition.index()] = 0;
            }
            tell(partition, known, next, now);
        }
    }

    /** The same process's sequence went back, which takes an operator to do. */
    private synchronized void lost(
            Partition partition, Mark before, long begun, long now, long redisMs) {
        int index = partition.index();
        Seen known = seen.get(index);
        boolean isNew = before.losses == known.losses;
        // A call from before the last loss may see it once more, or that it was larger.
        long high = isNew ? known.number : lows[index];
        if (begun >= high) {
            return;
        }
        // Counted first: whoever sees the lower number finds the loss counted.
        lost.increment(high - begun);
        lows[index] = begun;
        if (isNew) {
            seen.set(index, new Seen(now, known.losses + 1, List.of()));
        }
        tell(new SequenceLost(partition, begun, high, 0, redisMs));
    }

    private void tell(Partition partition, Seen before, Epoch next, long high) {
        int index = partition.index();
        long counted = Math.max(next.low(), highs[index]);
        lost.increment(Math.max(0, high - counted));
        highs[index] = Math.max(high, counted);
        tell(new SequenceLost(partition, next.low(), high, before.since(next), next.begunMs()));
    }

    private void tell(SequenceLost loss) {
        LOG.errorf("Redis lost %d accepted orders of partition %d: its sequence went back from "
                + "%d to %d", loss.high() - loss.low(), loss.partition().index(), loss.high(),
                loss.low());
        events.fire(loss);
    }

    /** Accepted orders and grabs known to be lost since this pod started. */
    long lost() {
        return (long) lost.count();
    }
}
