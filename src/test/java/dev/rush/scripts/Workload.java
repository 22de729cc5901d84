package dev.rush.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Random calls on one sale or rain after another. */
abstract class Workload {
    static final int BATCH_MAX = 128;
    /** The workload does not wait for an edge of the window that is further ahead. */
    private static final long NEAR_MS = 1_000;
    private static final long PREPARING_MAX_MS = 200;

    final Random random;
    private final Set<String> met = new HashSet<>();
    private boolean isPrepared;
    private long sent;
    private long preparing;
    private Window window;
    private long promisedChanges;
    private String changes;

    Workload(Random random) {
        this.random = random;
    }

    /** Sends this number of requests, and some other calls between them. */
    final void run(long requests) {
        next();
        long end = sent + requests;
        while (sent < end) {
            if (isOver()) {
                compareAll();
                next();
            }
            if (!isPrepared && random.nextInt(3) == 0) {
                prepare();
            }
            step();
        }
        compareAll();
    }

    /** The first words of all replies so far. */
    final Set<String> met() {
        return met;
    }

    /** Begins the next sale or rain. */
    final void next() {
        isPrepared = false;
        promisedChanges = 0;
        window = begin();
        if (random.nextInt(8) > 0) {
            prepare();
        } else {
            read();
        }
    }

    /** Begins the next sale or rain on an empty Redis, and returns its model. */
    abstract Window begin();

    /**
     * Prepares it, and returns when it opens and closes.
     *
     * @param preparedAt when it will be prepared if that takes as long as last time
     */
    abstract List<Long> prepare(long now, long preparedAt);

    abstract boolean isOver();

    abstract void step();

    abstract void read();

    abstract void compareAll();

    /** Sends a call of this number of requests, and returns Redis's time. */
    abstract long send(int size);

    /** Pauses, resumes or closes. */
    abstract String controlled(String action);

    /** A value that differs if anything but a request has changed it. */
    abstract String seenChanges();

    final boolean isPrepared() {
        return isPrepared;
    }

    private void prepare() {
        long now = System.currentTimeMillis();
        List<Long> edges = prepare(now, now + preparing);
        preparing = Math.min(PREPARING_MAX_MS, System.currentTimeMillis() - now);
        isPrepared = true;
        changes = seenChanges();
        boolean isFar = edges.get(0) > now + NEAR_MS;
        for (int i = isFar ? 2 : random.nextInt(3); i > 0; i--) {
            control(edges.get(0) > 0 && random.nextBoolean()
                    ? random.nextBoolean() ? "close" : "pause" : action());
        }
        edges.forEach(this::cross);
    }

    /** Sends a request at every millisecond around an edge of the window. */
    private void cross(long edge) {
        while (edge > 0 && edge < System.currentTimeMillis() + NEAR_MS && send(1) <= edge) {
            // The edge is near.
        }
    }

    final int size() {
        return random.nextBoolean() ? 1 : 1 + random.nextInt(
                random.nextInt(20) == 0 ? BATCH_MAX : 12);
    }

    /** Compares the replies of a call that was sent at this time. */
    final void same(List<String> expected, Reply reply, long sequence, long before) {
        isNow(before, reply.now());
        assertThat(reply.promised()).isEqualTo(expected);
        assertThat(reply.sequence()).isEqualTo(sequence);
        expected.forEach(this::meet);
        sent += expected.size();
    }

    /** Compares the replies of a call whose write failed halfway. */
    final void sameUnwritten(List<String> expected, Reply reply) {
        assertThat(reply.promised()).isEqualTo(Reply.unwritten(expected));
        Reply.unwritten(expected).forEach(this::meet);
    }

    final void same(String expected, String actual) {
        assertThat(actual).isEqualTo(expected);
        meet(expected);
    }

    final void meet(String reply) {
        met.add(reply.split(" ")[0]);
    }

    /** Closing is rare, because it ends all purchases or grabs. */
    private String action() {
        return random.nextInt(12) == 0 ? "close" : random.nextInt(3) == 0 ? "pause" : "resume";
    }

    final void control() {
        control(action());
    }

    private void control(String action) {
        long before = System.currentTimeMillis();
        if (!window.endsBetween(before - 5, before + 30_000)) {
            same(window.control(action, before), controlled(action));
        }
    }

    /** Checks that a snapshot shows a change only if the model does. */
    final void sameChanges(long before, long now, String seen) {
        isNow(before, now);
        assertThat(seen != null).isEqualTo(isPrepared);
        if (isPrepared) {
            assertThat(seen.equals(changes)).as("unchanged")
                    .isEqualTo(window.changes() == promisedChanges);
        }
        changes = seen;
        promisedChanges = window.changes();
    }

    static void isNow(long before, long now) {
        assertThat(now).as("Redis's time").isBetween(before - 1, System.currentTimeMillis() + 1);
    }

    final <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
