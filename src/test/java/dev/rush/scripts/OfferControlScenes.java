package dev.rush.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** How the shards of a sale follow what was decided in the first one, as a scene. */
final class OfferControlScenes {
    /** How far another master's clock may be ahead. */
    private static final long AHEAD_MS = 10_000_000;

    /** The changes of operators, each with a deadline. */
    private static final List<String> CHANGES = List.of(
            "http/block", "offer/control", "rain/fill", "rain/prepare", "reconciliation/adjust",
            "reconciliation/total", "sale/load", "sale/prepare", "sale/reschedule",
            "sale/total");

    private final LuaScripts scripts;
    private final ShardGate shards;

    OfferControlScenes(LuaScripts scripts) {
        this.scripts = scripts;
        shards = new ShardGate(scripts);
    }

    /** All scenes by what they show. */
    Map<String, Runnable> all() {
        return Map.of("P5: shards follow the latest change, whatever the clocks say", this::control,
                "D1: a resumed transfer is rewritten unchanged", this::resume,
                "I9: no operator's change is made after its deadline", this::late);
    }

    private void resume() {
        shards.prepare(List.of(9L, 9L, 9L));
        shards.take(0, "taken", 1, 3);
        List<ShardGate.Note> notes = shards.notes();
        long before = scripts.changes();
        assertThat(shards.resume(0, "taken")).isEqualTo("taken");
        assertThat(scripts.changes()).isEqualTo(before + 1);
        assertThat(shards.resume(0, "other")).isEqualTo("gone");
        assertThat(scripts.changes()).isEqualTo(before + 1);
        assertThat(shards.notes()).isEqualTo(notes).hasSize(1);
    }

    private void late() {
        List<String> keys = Collections.nCopies(11, "{late}key");
        for (String change : CHANGES) {
            // This deadline has passed when Redis runs the script.
            List<String> args = new ArrayList<>(List.of(Long.toString(redisMs() - 1)));
            args.addAll(Collections.nCopies(10, "1"));
            assertThat(scripts.call(change, keys, args)).as(change).isEqualTo("late");
        }
    }

    private long redisMs() {
        List<?> time = scripts.redis().list("TIME");
        return Long.parseLong((String) time.get(0)) * 1000
                + Long.parseLong((String) time.get(1)) / 1000;
    }

    private long decide(String action) {
        return Long.parseLong(shards.control(0, action, null).split(" ")[1]);
    }

    private void control() {
        shards.prepare(List.of(9L, 9L, 9L));
        assertThat(decide("resume")).isZero();
        assertThat(shards.notedChange(0)).isNull();
        long before = System.currentTimeMillis();
        long first = decide("pause");
        Workload.isNow(before, first);
        assertThat(decide("pause")).isEqualTo(first);
        assertThat(shards.notedChange(0)).isEqualTo(Long.toString(first));
        assertThat(shards.control(1, "pause", first)).isEqualTo("done " + first);
        assertThat(shards.notedChange(1)).isNull();
        assertThat(shards.buy(1, "o1", 1)).isEqualTo("paused");
        assertThat(shards.control(1, "resume", first - 1)).isEqualTo("done " + first);
        assertThat(shards.buy(1, "o2", 1)).isEqualTo("paused");
        assertThat(shards.control(1, "resume", first)).isEqualTo("done " + first);
        assertThat(shards.buy(1, "o3", 1)).isEqualTo("accepted");

        long ahead = first + AHEAD_MS;
        assertThat(shards.control(0, "resume", ahead)).isEqualTo("done " + ahead);
        assertThat(shards.notedChange(0)).isEqualTo(Long.toString(first));
        assertThat(decide("pause")).isEqualTo(ahead + 1);
        assertThat(shards.notedChange(0)).isEqualTo(Long.toString(ahead + 1));
        assertThat(shards.removeNote(0, ahead)).isZero();
        assertThat(shards.removeNote(0, ahead + 1)).isEqualTo(1);
        assertThat(shards.notedChange(0)).isNull();
        assertThat(decide("close")).isEqualTo(ahead + 2);
        assertThat(decide("close")).isEqualTo(ahead + 2);
        assertThat(shards.control(0, "pause", null)).isEqualTo("closed");
    }
}
