package dev.rush.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.scripts.RainGate.Grab;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random calls on one rain after another. */
final class RainWorkload extends Workload {
    /** Maximum of all envelopes together; above it a double is not exact. */
    private static final long MONEY_MAX = (1L << 53) - 1;
    private static final int ENVELOPES_MAX = 150;
    private static final long DAY = 86_400;
    private static final List<String> KEYS = List.of("k", "k!", "t", "%s", "1", "2", "u");

    private final RainGate gate;
    private final List<Grab> known = new ArrayList<>();
    private RainPromises promises;
    private List<String> users;
    private long backlog;
    private long grabs;

    RainWorkload(Random random, LuaScripts scripts) {
        super(random);
        this.gate = new RainGate(scripts);
    }

    @Override
    boolean isOver() {
        return random.nextInt(150) == 0;
    }

    @Override
    void step() {
        int dice = random.nextInt(100);
        if (dice < 85) {
            send(size());
        } else if (dice < 89) {
            control();
        } else if (dice < 93) {
            assertThat(gate.drain()).isEqualTo(promises.drain());
        } else if (dice < 98) {
            read();
        } else if (isPrepared()) {
            switch (random.nextInt(8)) {
                case 0 -> {
                    gate.loseEnvelopes();
                    promises.loseEnvelopes();
                }
                case 1, 2, 3 -> fail();
                default -> view();
            }
        }
    }

    @Override
    Window begin() {
        gate.clear();
        promises = new RainPromises();
        known.clear();
        backlog = any(List.of(0L, 1L, 12L, 2_000_000L));
        int count = 1 + random.nextInt(random.nextInt(3) == 0 ? 120 : 8);
        users = new ArrayList<>(List.of("u", "u!", "%d", "1"));
        for (int i = 0; i < count; i++) {
            users.add("user-" + i);
        }
        return promises;
    }

    @Override
    List<Long> prepare(long now, long preparedAt) {
        boolean isCrowded = random.nextInt(8) == 0;
        int count = isCrowded ? ENVELOPES_MAX
                : 1 + random.nextInt(random.nextInt(3) == 0 ? ENVELOPES_MAX : 10);
        long max = random.nextInt(4) == 0 ? MONEY_MAX / count
                : 1 + random.nextInt(random.nextBoolean() ? 3 : 1000);
        List<Long> amounts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            amounts.add(random.nextInt(5) == 0 ? max : 1 + (long) (random.nextDouble() * max));
        }
        amounts.replaceAll(amount -> Math.min(amount, max));
        long opensAt = isCrowded || random.nextInt(6) > 0 ? 0 : preparedAt + (random.nextBoolean()
                ? random.nextInt(12) : RandomPurchases.FAR_MS);
        RainGate.Terms terms = new RainGate.Terms(opensAt, isCrowded || random.nextInt(5) > 0 ? 0
                : Math.max(opensAt, preparedAt) + 1 + random.nextInt(20),
                isCrowded ? 100 : any(List.of(1L, 2L, 3L, 100L)), amounts);
        fill(terms, now);
        promises.prepare(terms);
        if (isCrowded) {
            send(BATCH_MAX);
            send(BATCH_MAX);
        }
        return List.of(terms.opensAt(), terms.closesAt());
    }

    @Override
    String controlled(String action) {
        return gate.control(action);
    }

    @Override
    String seenChanges() {
        return gate.view().changes();
    }

    /** Prepares in parts, some of them twice, out of order, or with another definition. */
    private void fill(RainGate.Terms terms, long now) {
        int count = terms.amounts().size();
        assertThat(gate.draft("one", "7", true, "epoch", true)).isEqualTo("not-loaded");
        if (random.nextBoolean()) {
            assertThat(gate.draft("other", "7", true, "old", false)).isEqualTo("draft 7 0 old");
            gate.fill(terms, "other", "7", "old", 0, count - 1);
        }
        assertThat(gate.draft("one", "7", true, "epoch", false)).isEqualTo("draft 7 0 epoch");
        assertThat(gate.keptSeconds().get(0)).isGreaterThan(DAY - 60);
        assertThat(gate.fill(terms, "other", "7", "epoch", 0, count)).isEqualTo("rain-exists");
        assertThat(gate.fill(terms, "other", "7", "old", 0, count)).isEqualTo("rain-exists");
        assertThat(gate.fill(terms, "one", "8", "epoch", 0, count)).isEqualTo("rain-exists");
        assertThat(gate.fill(terms, "one", "7", "old", 0, count)).isEqualTo("unavailable");
        int filled = random.nextInt(count);
        if (filled > 0) {
            gate.age();
            assertThat(gate.fill(terms, "one", "7", "epoch", 0, filled))
                    .isEqualTo("filled " + filled)
                    .isEqualTo(gate.fill(terms, "one", "7", "epoch", 0, filled));
            assertThat(gate.keptSeconds()).allMatch(seconds -> seconds > DAY - 60);
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
        assertThat(gate.isWhole()).isTrue();
        isNow(now, Long.parseLong(gate.listedSince()));
    }

    @Override
    long send(int size) {
        long before = System.currentTimeMillis();
        List<Grab> wanted = wanted(size);
        Reply reply = gate.grab(backlog, wanted);
        same(promised(wanted, reply.now()), reply, promises.sequence(), before);
        for (int i = 0; i < size; i++) {
            if (reply.texts().get(i).startsWith("accepted ")) {
                known.add(wanted.get(i));
            }
        }
        return reply.now();
    }

    private List<Grab> wanted(int size) {
        List<Grab> wanted = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            String id = "g-%012d".formatted(++grabs);
            Grab again = known.isEmpty() || random.nextInt(6) > 0 ? null : any(known);
            wanted.add(again == null
                    ? new Grab(Deadline.any(random), id, any(users),
                            random.nextBoolean() ? id : any(KEYS))
                    : new Grab(Deadline.any(random), id, again.user(), again.key()));
        }
        return wanted;
    }

    private List<String> promised(List<Grab> wanted, long now) {
        List<String> expected = new ArrayList<>(wanted.size());
        wanted.forEach(each -> expected.add(promises.grab(each, backlog, now)));
        return expected;
    }

    private void fail() {
        gate.breakSequence();
        List<Grab> wanted = wanted(2 + random.nextInt(12));
        // With a broken sequence, the number of waiting grabs is unknown.
        backlog = backlog == 0 ? 0 : 2_000_000;
        Reply reply = gate.grab(backlog, wanted);
        sameUnwritten(promised(wanted, reply.now()), reply);
        next();
    }

    @Override
    void read() {
        String user = any(users);
        int max = 1 + random.nextInt(random.nextBoolean() ? 3 : 100);
        assertThat(gate.grabs(user)).isEqualTo(promises.grabs(user));
        assertThat(gate.leaderboard("grab", max)).isEqualTo(promises.byGrab(max));
        assertThat(gate.leaderboard("user", max)).isEqualTo(promises.byUser(max));
        assertThat(gate.ranked("board")).isLessThanOrEqualTo(100);
        assertThat(gate.ranked("sums")).isLessThanOrEqualTo(100);
        view();
    }

    private void view() {
        long before = System.currentTimeMillis();
        RainGate.View view = gate.view();
        assertThat(view.counters()).isEqualTo(promises.counters());
        sameChanges(before, view.now(), view.changes());
    }

    @Override
    void compareAll() {
        read();
        users.forEach(user -> assertThat(gate.grabs(user)).isEqualTo(promises.grabs(user)));
        assertThat(gate.drain()).isEqualTo(promises.drain());
    }
}
