package dev.rush.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.scripts.ShardGate.Note;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Random transfers between the shards of a sale, interrupted after any step, repeated and finished.
 * No unit is created or lost: free, ordered and noted units add up to those that were prepared.
 */
final class ShardWorkload {
    private static final int STEPS_MAX = 120;
    /** How far another master's clock may be ahead. */
    private static final long AHEAD_MS = 86_400_000;

    private final Random random;
    private final ShardGate gate;
    private final Set<String> met = new HashSet<>();
    /** The free units of each shard by the model. */
    private final List<Long> free = new ArrayList<>();
    private final List<Note> given = new ArrayList<>();
    /** The first total of each shard; sent and received count from here. */
    private final List<Long> totals = new ArrayList<>();
    private long prepared;
    private long ordered;
    private long ids;
    /** The control of each shard. */
    private final List<Control> controls = new ArrayList<>();
    private String followed;

    /** The last change that a shard has followed, and its state since. */
    private record Control(long version, boolean paused, boolean closed) {
    }

    ShardWorkload(Random random, LuaScripts scripts) {
        this.random = random;
        this.gate = new ShardGate(scripts);
    }

    /** The words of all replies so far. */
    Set<String> met() {
        return met;
    }

    /** Runs this number of steps. */
    void run(long steps) {
        for (long step = 0; step < steps; step++) {
            if (step % STEPS_MAX == 0) {
                if (step > 0) {
                    lose();
                }
                begin();
            }
            switch (random.nextInt(11)) {
                case 10 -> control();
                case 0 -> total();
                case 1, 2, 3 -> buy();
                case 4, 5 -> take();
                case 6, 7 -> give();
                default -> finish();
            }
            compare();
        }
    }

    private void begin() {
        free.clear();
        given.clear();
        ordered = 0;
        for (int shard = 0; shard < gate.shards(); shard++) {
            free.add((long) random.nextInt(random.nextBoolean() ? 3 : 300));
        }
        prepared = free.stream().mapToLong(Long::longValue).sum();
        totals.clear();
        totals.addAll(free);
        gate.prepare(free);
        controls.clear();
        controls.addAll(Collections.nCopies(gate.shards(), new Control(0, false, false)));
        followed = null;
    }

    /** Decides in the first shard, or lets one follow a change, perhaps an old one. */
    private void control() {
        int shard = random.nextInt(gate.shards());
        Control before = controls.get(shard);
        String action = List.of("pause", "resume", "resume", "close")
                .get(random.nextInt(random.nextInt(8) == 0 ? 4 : 3));
        Long version = shard == 0 && random.nextInt(4) > 0 ? null : before.version
                + random.nextInt(3) - 1 + (random.nextInt(3) > 0 ? 0 : AHEAD_MS);
        long now = System.currentTimeMillis();
        String reply = gate.control(shard, action, version);
        if (before.closed && !action.equals("close")) {
            same("closed", reply);
            return;
        }
        if (version != null && version < before.version) {
            same("done " + before.version, reply);
            return;
        }
        boolean changes = action.equals("close") ? !before.closed
                : before.paused != action.equals("pause");
        long decided = Long.parseLong(reply.split(" ")[1]);
        if (version == null && changes) {
            assertThat(decided).isGreaterThanOrEqualTo(before.version + 1);
            if (decided != before.version + 1) {
                assertThat(decided).isBetween(now - 1, System.currentTimeMillis() + 1);
            }
            followed = Long.toString(decided);
        } else {
            assertThat(decided).isEqualTo(version == null ? before.version : version);
        }
        controls.set(shard, new Control(decided, action.equals("close") ? before.paused
                : action.equals("pause"), before.closed || action.equals("close")));
        forget();
    }

    /** Sometimes removes the note of the latest change; an earlier version removes nothing. */
    private void forget() {
        assertThat(gate.notedChange(0)).isEqualTo(followed);
        if (followed != null && random.nextInt(3) == 0) {
            assertThat(gate.removeNote(0, Long.parseLong(followed) - 1)).isZero();
            assertThat(gate.removeNote(0, Long.parseLong(followed))).isEqualTo(1);
            followed = null;
        }
    }

    /** The first shard takes the whole change of a total, or refuses it. */
    private void total() {
        long change = random.nextInt(9) - 4;
        if (prepared + change < 0) {
            return;
        }
        if (free.get(0) + change < 0) {
            same("below-ordered", gate.total(prepared + change).split(" ")[0]);
            return;
        }
        same("done", gate.total(prepared + change));
        free.set(0, free.get(0) + change);
        totals.set(0, totals.get(0) + change);
        prepared += change;
    }

    /** A shard without its terms, or without its counters, neither gives nor gets. */
    private void lose() {
        String part = random.nextBoolean() ? "conf" : "stock";
        gate.lose(1, part);
        same("not-loaded", gate.take(1, "t-" + ++ids, 2, 1));
        same("not-loaded", gate.give(new Note(0, "t-" + ++ids, "0", 1, 1)));
        same("not-loaded", gate.give(new Note(0, "t-" + ++ids, "another", 1, 1)));
    }

    private void buy() {
        int shard = random.nextInt(gate.shards());
        long units = 1 + random.nextInt(4);
        Control control = controls.get(shard);
        String expected = control.paused ? "paused" : control.closed ? "closed"
                : free.get(shard) == 0 ? "sold-out"
                : free.get(shard) < units ? "insufficient-stock" : "accepted";
        same(expected, gate.buy(shard, "o-" + ++ids, units));
        if (expected.equals("accepted")) {
            free.set(shard, free.get(shard) - units);
            ordered += units;
        }
    }

    private void take() {
        int source = random.nextInt(gate.shards());
        int destination = (source + 1 + random.nextInt(gate.shards() - 1)) % gate.shards();
        long min = 1 + random.nextInt(10);
        long left = free.get(source);
        String reply = gate.take(source, "t-" + ++ids, destination, min);
        if (left == 0) {
            same("empty", reply);
            return;
        }
        long units = Math.min(left, Math.max(min, left / 2));
        same("taken 0 " + units, reply);
        free.set(source, left - units);
    }

    /** Gives the units of any note, again or for the first time. */
    private void give() {
        List<Note> notes = new ArrayList<>(gate.notes());
        notes.addAll(given);
        if (notes.isEmpty()) {
            return;
        }
        Note note = notes.get(random.nextInt(notes.size()));
        if (random.nextInt(10) == 0) {
            same("overtaken", gate.give(new Note(note.source(), note.transfer(), "another",
                    note.destination(), note.units())));
            return;
        }
        boolean isGiven = given.contains(note);
        same(isGiven ? "repeated" : "given", gate.give(note));
        if (!isGiven) {
            given.add(note);
            free.set(note.destination(), free.get(note.destination()) + note.units());
        }
    }

    private void finish() {
        List<Note> notes = gate.notes();
        notes.retainAll(given);
        Collections.shuffle(notes, random);
        for (Note note : notes.subList(0, Math.min(2, notes.size()))) {
            long left = gate.notes().stream()
                    .filter(each -> each.source() == note.source()).count() - 1;
            assertThat(gate.finish(note)).isEqualTo(left);
        }
    }

    private void compare() {
        long noted = gate.notes().stream().filter(note -> !given.contains(note))
                .mapToLong(Note::units).sum();
        long sum = 0;
        for (int shard = 0; shard < gate.shards(); shard++) {
            Map<String, Long> counters = gate.counters(shard);
            long left = counters.get("total") - counters.get("ordered");
            assertThat(left).as("free in shard %d", shard).isEqualTo(free.get(shard));
            assertThat(counters.get("total")).isEqualTo(totals.get(shard)
                    + counters.getOrDefault("received", 0L) - counters.getOrDefault("sent", 0L));
            int source = shard;
            assertThat(gate.isUnfinished(shard)).isEqualTo(gate.notes().stream()
                    .anyMatch(note -> note.source() == source));
            sum += left;
        }
        assertThat(sum + ordered + noted).as("units in all").isEqualTo(prepared);
    }

    private void same(String expected, String actual) {
        assertThat(actual).isEqualTo(expected);
        met.add(expected.split(" ")[0]);
    }
}
