package dev.rush.reconciliation.report;

import dev.rush.RushConfig;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.redis.Partition;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

/**
 * Reads the backlog in a partition's stream, part by part so that no call occupies Redis for long.
 * Entries that leave the stream meanwhile are in the ledger by then.
 */
@Singleton
public class StreamScan {

    static final String START = "0-0";
    /** Entries per call; each has the orders of one script call. */
    private static final int PART = 200;
    private static final long POLL_MS = 50;
    private static final long SCAN_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** The first words of an entry whose number is 0. */
    private static final Pattern WITHOUT_NUMBER = Pattern.compile("\\S+ \\d+ \\d+ \\d+ 0 ");

    private final RedisCommands redis;
    private final long ordersMax;

    @Inject
    public StreamScan(RedisCommands redis, RushConfig config) {
        this.redis = redis;
        this.ordersMax = config.books().backlog();
    }

    /** Maximum number of orders or grabs that {@link #read} returns. */
    long ordersMax() {
        return ordersMax;
    }

    /**
     * Orders of a sale, or grabs of a rain, in the stream.
     *
     * @param kind purchase or grab
     * @param last the last entry to read
     * @return order → lines, or grab → amount
     * @throws ProblemException {@code unavailable} if there are more than {@link #ordersMax}
     */
    public Map<String, String> read(Partition partition, String kind, String id, String last) {
        Map<String, String> waiting = read(partition, kind, id, last, ordersMax);
        if (waiting.size() > ordersMax) {
            throw new ProblemException(Problem.of(OutcomeCode.UNAVAILABLE,
                    "Too many orders or grabs wait for the ledger; try again later."));
        }
        return waiting;
    }

    /** As {@link #read}, but only whether there are any. */
    public boolean has(Partition partition, String kind, String id, String last) {
        return !read(partition, kind, id, last, 0).isEmpty();
    }

    /** Removes from a set the orders or grabs that {@link #read} would return, however many. */
    public void removeWaiting(
            Partition partition, String kind, String id, String last, Set<String> from) {
        each(partition, kind, id, last, (order, words) -> from.remove(order), from::isEmpty);
    }

    /** Stops after the part in which more than {@code max} were found. */
    private Map<String, String> read(
            Partition partition, String kind, String id, String last, long max) {
        Map<String, String> waiting = new HashMap<>();
        each(partition, kind, id, last, waiting::put, () -> waiting.size() > max);
        return waiting;
    }

    private void each(Partition partition, String kind, String id, String last,
            BiConsumer<String, String> found, BooleanSupplier isEnough) {
        String after = START;
        while (!after.equals(last) && !isEnough.getAsBoolean()) {
            Reply part = redis.script(ReportScripts.WAITING, partition.keys().orders(),
                    List.of(kind, id, after, last, Integer.toString(PART))).join();
            if (part.at(0).isNull()) {
                break;
            }
            after = part.at(0).word();
            for (int i = 1; i < part.size(); i++) {
                String[] words = part.at(i).word().split(" ");
                found.accept(words[0], words[1]);
            }
        }
    }

    /** The last entry of a stream now. */
    public String last(Partition partition) {
        Reply last = redis.command(
                "XREVRANGE", partition.keys().orders(), "+", "-", "COUNT", "1").join();
        return last.size() == 0 ? START : last.at(0).at(0).word();
    }

    /** Whether all entries up to this one have left the stream, so that the ledger has them. */
    boolean isPast(Partition partition, String last) {
        return redis.command("XRANGE", partition.keys().orders(), "-", last, "COUNT", "1")
                .join().size() == 0;
    }

    /**
     * Waits until all entries up to this one have left the stream, at most until an instant of
     * {@link System#nanoTime()}. Blocks the calling thread. Returns whether they have left; false
     * if the thread is interrupted.
     */
    public boolean awaitPast(Partition partition, String last, long untilNanos) {
        return await(untilNanos, () -> isPast(partition, last));
    }

    private static boolean await(long untilNanos, BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - untilNanos >= 0) {
                return false;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(POLL_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }

    /**
     * As {@link #awaitPast}, but only for requeued orders and grabs, which have no number. Reads
     * the other entries once, even if the instant has passed, for ten seconds at most.
     */
    public boolean awaitRequeued(Partition partition, String last, long untilNanos) {
        return await(untilNanos, new Requeued(partition, last));
    }

    /** Whether all requeued entries up to one have left a stream. */
    private final class Requeued implements BooleanSupplier {
        private final Partition partition;
        private final String last;
        /** The entry before the first that may be requeued. */
        private String after = START;

        Requeued(Partition partition, String last) {
            this.partition = partition;
            this.last = last;
        }

        @Override
        public boolean getAsBoolean() {
            long begunNanos = System.nanoTime();
            do {
                Reply part = redis.read("XRANGE", partition.keys().orders(), "(" + after, last,
                        "COUNT", Integer.toString(PART)).join();
                for (int i = 0; i < part.size(); i++) {
                    if (WITHOUT_NUMBER.matcher(part.at(i).at(1).at(1).text()).lookingAt()) {
                        return false;
                    }
                    after = part.at(i).at(0).word();
                }
                if (part.size() < PART) {
                    return true;
                }
            } while (System.nanoTime() - begunNanos < SCAN_NANOS);
            return false;
        }
    }

    /**
     * Whether everything that entered a stream up to an instant has left it and is in the ledger.
     */
    public boolean isDrainedPast(Partition partition, long redisMs) {
        return isPast(partition, Long.toString(redisMs));
    }
}
