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
            grab();
        } else if (dice < 89) {
            steer();
        } else if (dice < 93) {
            assertThat(gate.drain()).isEqualTo(promises.drain());
        } else if (dice < 99) {
            read();
        } else if (isPrepared && random.nextInt(6) == 0) {
            gate.loseEnvelopes();
            promises.loseEnvelopes();
        }
    }

    private void begin() {
        gate.clear();
        promises = new RainPromises();
        known.clear();
        isPrepared = false;
        backlog = List.of(0L, 12L, 2_000_000L).get(random.nextInt(3));
        int count = 1 + random.nextInt(random.nextInt(3) == 0 ? 120 : 8);
        users = new ArrayList<>(List.of("u", "u!", "%d", "1"));
        for (int i = 0; i < count; i++) {
            users.add("user-" + i);
        }
        if (random.nextInt(8) > 0) {
            prepare();
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
        long opensAt = random.nextInt(6) == 0 ? now + random.nextInt(40) : 0;
        RainGate.Terms terms = new RainGate.Terms(opensAt,
                random.nextInt(5) == 0 ? Math.max(opensAt, now) + 1 + random.nextInt(80) : 0,
                List.of(1L, 2L, 3L, 100L).get(random.nextInt(4)), amounts);
        gate.prepare(terms, 1 + random.nextInt(count), random.nextBoolean());
        promises.prepare(terms);
        isPrepared = true;
    }

    private void grab() {
        int size = random.nextBoolean() ? 1 : 1 + random.nextInt(
                random.nextInt(20) == 0 ? BATCH_MAX : 12);
        List<Grab> wanted = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            String id = "g-%012d".formatted(++grabs);
            Grab again = known.isEmpty() || random.nextInt(6) > 0 ? null : any(known);
            wanted.add(again == null
                    ? new Grab(deadline(), id, any(users), random.nextBoolean() ? id : any(KEYS))
                    : new Grab(deadline(), id, again.user(), again.key()));
        }
        RainGate.Reply reply = gate.grab(backlog, wanted);
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
    }

    private long deadline() {
        return switch (random.nextInt(30)) {
            case 0 -> 0;
            case 1 -> System.currentTimeMillis() - 2 + random.nextInt(5);
            default -> FOREVER;
        };
    }

    private void steer() {
        String action = random.nextInt(12) == 0 ? "close"
                : random.nextInt(3) == 0 ? "pause" : "resume";
        long before = System.currentTimeMillis();
        if (!promises.endsBetween(before - 5, before + 1000)) {
            String expected = promises.steer(action, before);
            assertThat(gate.steer(action)).isEqualTo(expected);
            met.add(expected);
        }
    }

    private void read() {
        String user = any(users);
        int most = 1 + random.nextInt(100);
        assertThat(gate.grabs(user, most)).isEqualTo(promises.grabs(user, most));
        assertThat(gate.leaderboard("grab", most)).isEqualTo(promises.byGrab(most));
        assertThat(gate.leaderboard("user", most)).isEqualTo(promises.byUser(most));
        assertThat(gate.counters()).isEqualTo(promises.counters());
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
