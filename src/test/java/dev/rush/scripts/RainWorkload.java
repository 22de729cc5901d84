package dev.rush.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.scripts.RainGate.Grab;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Random calls on one rain after the other. */
final class RainWorkload {
    private static final long FOREVER = 99_999_999_999_999L;
    /** Of all envelopes together; beyond it a double is not exact. */
    private static final long MONEY_MAX = (1L << 53) - 1;
    private static final int ENVELOPES_MAX = 150;
    private static final int BATCH_MAX = 128;
    private static final List<String> KEYS = List.of("k", "k!", "t", "%s", "1", "2", "u");

    private final Random random;
    private final RainGate gate;
    private final Set<String> met = new HashSet<>();
    private final List<Grab> known = new ArrayList<>();
    private RainPromises promises;
    private List<String> users;
    private long backlog;
    private long grabs;
    private long sent;
    private boolean isPrepared;
    private long promisedChanges;
    private String changes;

    RainWorkload(Random random, LuaScripts scripts) {
        this.random = random;
        this.gate = new RainGate(scripts);
    }

    /** Sends so many requests, and some other calls between them. */
    void run(long requests) {
        begin();
        while (sent < requests) {
            if (random.nextInt(150) == 0) {
                compareAll();
                begin();
            }
            if (!isPrepared && random.nextInt(3) == 0) {
                prepare();
            }
            step();
        }
        compareAll();
    }

    /** The words of all replies so far. */
    Set<String> met() {
        return met;
    }

    private void step() {
        int dice = random.nextInt(100);
        if (dice < 85) {
            grab(size());
        } else if (dice < 89) {
            steer(steering());
        } else if (dice < 93) {
            assertThat(gate.drain()).isEqualTo(promises.drain());
        } else if (dice < 98) {
            read();
        } else if (isPrepared) {
            switch (random.nextInt(8)) {
                case 0 -> {
                    gate.loseEnvelopes();
                    promises.loseEnvelopes();
                }
                case 1, 2 -> fail();
                default -> view();
            }
        }
    }

    private void begin() {
        gate.clear();
        promises = new RainPromises();
        known.clear();
        isPrepared = false;
        backlog = List.of(0L, 1L, 12L, 2_000_000L).get(random.nextInt(4));
        promisedChanges = 0;
        int count = 1 + random.nextInt(random.nextInt(3) == 0 ? 120 : 8);
        users = new ArrayList<>(List.of("u", "u!", "%d", "1"));
        for (int i = 0; i < count; i++) {
            users.add("user-" + i);
        }
        if (random.nextInt(8) > 0) {
            prepare();
        } else {
            read();
        }
    }

    private void prepare() {
        long now = System.currentTimeMillis();
        int count = 1 + random.nextInt(random.nextInt(3) == 0 ? ENVELOPES_MAX : 10);
        long most = random.nextInt(4) == 0 ? MONEY_MAX / count
                : 1 + random.nextInt(random.nextBoolean() ? 3 : 1000);
        List<Long> amounts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            amounts.add(random.nextInt(5) == 0 ? most : 1 + (long) (random.nextDouble() * most));
        }
        amounts.replaceAll(amount -> Math.min(amount, most));
        long opensAt = random.nextInt(6) == 0 ? now + random.nextInt(12) : 0;
        RainGate.Terms terms = new RainGate.Terms(opensAt,
                random.nextInt(5) == 0 ? Math.max(opensAt, now) + 1 + random.nextInt(20) : 0,
                List.of(1L, 2L, 3L, 100L).get(random.nextInt(4)), amounts);
        fill(terms, now);
        promises.prepare(terms);
        isPrepared = true;
        changes = gate.view().changes();
        for (int i = random.nextInt(3); i > 0; i--) {
            steer(terms.opensAt() > 0 && random.nextBoolean() ? "close" : steering());
        }
        cross(terms.opensAt());
        cross(terms.closesAt());
    }

    /** Prepares in parts, some of them twice, out of turn, or of another definition. */
    private void fill(RainGate.Terms terms, long now) {
        int count = terms.amounts().size();
        assertThat(gate.draft("one", "7", true, "epoch", true)).isEqualTo("not-loaded");
        if (random.nextBoolean()) {
            assertThat(gate.draft("other", "7", true, "old", false)).isEqualTo("draft 7 0 old");
            gate.fill(terms, "other", "7", "old", 0, count - 1);
        }
        assertThat(gate.draft("one", "7", true, "epoch", false)).isEqualTo("draft 7 0 epoch");
        assertThat(gate.fill(terms, "other", "7", "epoch", 0, count)).isEqualTo("rain-exists");
        assertThat(gate.fill(terms, "other", "7", "old", 0, count)).isEqualTo("rain-exists");
        assertThat(gate.fill(terms, "one", "8", "epoch", 0, count)).isEqualTo("rain-exists");
        assertThat(gate.fill(terms, "one", "7", "old", 0, count)).isEqualTo("unavailable");
        int filled = random.nextInt(count);
        if (filled > 0) {
            assertThat(gate.fill(terms, "one", "7", "epoch", 0, filled))
                    .isEqualTo("filled " + filled)
                    .isEqualTo(gate.fill(terms, "one", "7", "epoch", 0, filled));
            assertThat(gate.isForgettable()).isTrue();
        }
        String found = "draft 7 " + filled + " epoch";
        assertThat(gate.draft("one", "9", false, "late", false)).isEqualTo(found);
        assertThat(gate.draft("one", "9", false, "late", true)).isEqualTo("not-loaded");
        assertThat(gate.draft("one", "7", true, "epoch", true)).isEqualTo(found);
        assertThat(gate.fill(terms, "one", "7", "epoch", filled, count)).isEqualTo("created");
        assertThat(gate.fill(terms, "one", "7", "epoch", filled, count)).isEqualTo("exists");
        assertThat(gate.fill(terms, "one", "8", "epoch", filled, count)).isEqualTo("rain-exists");
        assertThat(gate.fill(terms, "other", "7", "epoch", 0, count)).isEqualTo("rain-exists");
        assertThat(gate.draft("one", "7", true, "epoch", false)).isEqualTo("exists");
        assertThat(gate.draft("one", "9", false, "epoch", false)).isEqualTo("exists");
        assertThat(gate.draft("one", "9", true, "epoch", false)).isEqualTo("rain-exists");
        assertThat(gate.draft("other", "7", true, "epoch", false)).isEqualTo("rain-exists");
        assertThat(gate.isFinished()).isTrue();
        isNow(now, Long.parseLong(gate.listedSince()));
    }

    /** Grabs at every millisecond around an edge of the window. */
    private void cross(long edge) {
        while (edge > 0 && grab(1) <= edge) {
            // The edge is near: see prepare.
        }
    }

    private int size() {
        return random.nextBoolean() ? 1 : 1 + random.nextInt(
                random.nextInt(20) == 0 ? BATCH_MAX : 12);
    }

    /** Sends a call of so many requests, and returns Redis's time. */
    private long grab(int size) {
        long before = System.currentTimeMillis();
        List<Grab> wanted = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            String id = "g-%012d".formatted(++grabs);
            Grab again = known.isEmpty() || random.nextInt(6) > 0 ? null : any(known);
            wanted.add(again == null
                    ? new Grab(deadline(), id, any(users), random.nextBoolean() ? id : any(KEYS))
                    : new Grab(deadline(), id, again.user(), again.key()));
        }
        RainGate.Reply reply = gate.grab(backlog, wanted);
        isNow(before, reply.now());
        List<String> expected = new ArrayList<>(size);
        wanted.forEach(each -> expected.add(promises.grab(each, backlog, reply.now())));
        assertThat(reply.texts()).isEqualTo(expected);
        assertThat(reply.sequence()).isEqualTo(promises.sequence());
        for (int i = 0; i < size; i++) {
            met.add(expected.get(i).split(" ")[0]);
            if (expected.get(i).startsWith("accepted ")) {
                known.add(wanted.get(i));
            }
        }
        sent += size;
        return reply.now();
    }

    /** A defect that shows in writing is told to all who were granted, and to no one else. */
    private void fail() {
        gate.breakSequence();
        RainGate.Reply reply = gate.grab(backlog, List.of(new Grab(FOREVER, "g-1", "v", "g-1"),
                new Grab(0, "g-2", "late", "g-2"), new Grab(FOREVER, "g-3", "w", "g-3")));
        assertThat(reply.texts()).hasSize(3).noneMatch(text -> text.startsWith("accepted "));
        assertThat(reply.texts().get(1)).isEqualTo("unavailable");
        for (String text : reply.texts()) {
            if (text.startsWith("failed ")) {
                assertThat(text).contains("integer");
                met.add("failed");
            }
        }
        begin();
    }

    private long deadline() {
        return switch (random.nextInt(30)) {
            case 0 -> 0;
            case 1 -> System.currentTimeMillis() - 2 + random.nextInt(5);
            default -> FOREVER;
        };
    }

    /** Closing ends what a rain has to show, so it comes seldom. */
    private String steering() {
        return random.nextInt(12) == 0 ? "close" : random.nextInt(3) == 0 ? "pause" : "resume";
    }

    private void steer(String action) {
        long before = System.currentTimeMillis();
        if (!promises.endsBetween(before - 5, before + 1000)) {
            String expected = promises.steer(action, before);
            assertThat(gate.steer(action)).isEqualTo(expected);
            met.add(expected);
        }
    }

    private void read() {
        String user = any(users);
        int most = 1 + random.nextInt(random.nextBoolean() ? 3 : 100);
        assertThat(gate.grabs(user, most)).isEqualTo(promises.grabs(user, most));
        assertThat(gate.leaderboard("grab", most)).isEqualTo(promises.byGrab(most));
        assertThat(gate.leaderboard("user", most)).isEqualTo(promises.byUser(most));
        assertThat(gate.boardSize()).isLessThanOrEqualTo(100);
        view();
    }

    private void view() {
        long before = System.currentTimeMillis();
        RainGate.View view = gate.view();
        isNow(before, view.now());
        assertThat(view.counters()).isEqualTo(promises.counters());
        if (isPrepared) {
            assertThat(view.changes().equals(changes)).as("unchanged")
                    .isEqualTo(promises.changes() == promisedChanges);
        }
        changes = view.changes();
        promisedChanges = promises.changes();
    }

    private static void isNow(long before, long now) {
        assertThat(now).as("Redis's time").isBetween(before - 1, System.currentTimeMillis() + 1);
    }

    private void compareAll() {
        read();
        users.forEach(user ->
                assertThat(gate.grabs(user, 100)).isEqualTo(promises.grabs(user, 100)));
        assertThat(gate.drain()).isEqualTo(promises.drain());
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
