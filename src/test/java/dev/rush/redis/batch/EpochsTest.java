package dev.rush.redis.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partition;
import dev.rush.redis.batch.Sequences.Mark;
import dev.rush.redis.cluster.Epoch;
import dev.rush.redis.cluster.Gate;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * I6: a pod knows by epochs what a failover has lost, though orders of other pods have taken the
 * lost numbers before it asks again.
 */
class EpochsTest {
    private static final Partition PARTITION = Gate.PARTITIONS.all().get(7);
    private static final Epoch FIRST = new Epoch("a", 0, 1_000);
    private static final Epoch SECOND = new Epoch("b", 100, 5_000);

    private final List<SequenceLost> losses = new ArrayList<>();
    private final Sequences sequences = new Sequences(
            Gate.PARTITIONS, Gate.event(losses::add), new SimpleMeterRegistry());

    private Epoch checkIn(Epoch... epochs) {
        return sequences.checkIn(PARTITION, List.of(epochs));
    }

    private boolean reply(Epoch epoch, long number) {
        return sequences.observe(
                PARTITION, sequences.mark(PARTITION), epoch, number, 0, 9_000);
    }

    private void seen(long number, Epoch... epochs) {
        reply(checkIn(epochs), number);
    }

    private static SequenceLost lost(long low, long high, Epoch since, Epoch next) {
        return new SequenceLost(PARTITION, low, high, since.begunMs(), next.begunMs());
    }

    @Test
    @DisplayName("I6: what was lost is known by where the next epoch began, not by its numbers now")
    void numbersThatWereGivenOutAgainAreCounted() {
        seen(105, FIRST);

        seen(140, FIRST, SECOND);

        assertThat(losses).containsExactly(lost(100, 105, FIRST, SECOND));
        assertThat(sequences.lost()).isEqualTo(5);
        assertThat(sequences.mark(PARTITION).seen()).isEqualTo(140);
    }

    @Test
    void failoverThatLosesNothingIsNoLoss() {
        seen(100, FIRST);

        seen(140, FIRST, SECOND);

        assertThat(losses).isEmpty();
    }

    @Test
    void firstFailoverThatAPodMissedIsTheOneThatCounts() {
        seen(105, FIRST);

        seen(140, FIRST, SECOND, new Epoch("c", 118, 7_000));

        assertThat(losses).containsExactly(lost(100, 105, FIRST, SECOND));
    }

    @Test
    void epochThatIsLostItselfTakesItsOrdersAlong() {
        seen(100, FIRST);
        seen(110, FIRST, SECOND);
        Epoch third = new Epoch("c", 118, 7_000);

        seen(130, FIRST, third);

        assertThat(losses).containsExactly(lost(100, 110, SECOND, third));
    }

    @Test
    void lossMayReachBackBeforeTheLastEpoch() {
        seen(105, FIRST);
        seen(110, FIRST, new Epoch("b", 105, 5_000));
        Epoch third = new Epoch("c", 102, 7_000);

        checkIn(FIRST, third);

        assertThat(losses).containsExactly(lost(102, 110, FIRST, third));
    }

    @Test
    @DisplayName("I6: a former master's late reply says that more was lost; it is counted once")
    void lateReplyOfAFormerMasterIsCounted() {
        seen(105, FIRST);
        seen(101, FIRST, SECOND);

        reply(FIRST, 103);
        reply(FIRST, 107);
        reply(FIRST, 107);

        assertThat(losses).contains(lost(100, 107, FIRST, SECOND));
        assertThat(sequences.lost()).isEqualTo(7);
        assertThat(sequences.mark(PARTITION).seen()).isEqualTo(101);
    }

    @Test
    void formerMasterThatIsAskedLateChangesNothing() {
        seen(105, FIRST);
        seen(110, FIRST, new Epoch("b", 105, 5_000));

        assertThat(checkIn(FIRST)).isEqualTo(FIRST);
        reply(FIRST, 105);

        assertThat(losses).isEmpty();
        assertThat(sequences.mark(PARTITION).seen()).isEqualTo(110);
    }

    @Test
    void slotThatMovesAwayAndBackLosesNothing() {
        seen(105, FIRST);
        seen(120, FIRST, new Epoch("b", 105, 5_000));
        seen(130, FIRST, new Epoch("b", 105, 5_000), new Epoch("a", 125, 6_000));

        assertThat(losses).isEmpty();
    }

    @Test
    void longForgottenEpochIsOlderThanAllThatAreKnown() {
        seen(105, FIRST);

        seen(140, SECOND);

        assertThat(losses).containsExactly(lost(100, 105, FIRST, SECOND));
    }

    @Test
    void callWithoutEpochSaysNothing() {
        seen(105, FIRST);

        reply(null, 3);
        reply(null, 200);

        assertThat(losses).isEmpty();
        assertThat(sequences.mark(PARTITION).seen()).isEqualTo(105);
    }

    @Test
    @DisplayName("I6: a process that was emptied is asked anew, and its new orders are no loss")
    void emptiedProcessBeginsAnew() {
        seen(105, FIRST);
        assertThat(reply(FIRST, 0)).as("the epoch is known").isFalse();

        seen(8, new Epoch("a", 5, 6_000));

        assertThat(losses).containsExactly(new SequenceLost(PARTITION, 0, 105, 0, 9_000));
        assertThat(sequences.mark(PARTITION).seen()).isEqualTo(8);
    }

    @Test
    void replyToACallFromBeforeTheFailoverIsNoSecondLoss() {
        seen(105, FIRST);
        Mark before = sequences.mark(PARTITION);
        Epoch second = checkIn(FIRST, SECOND);

        sequences.observe(PARTITION, before, second, 101, 1, 9_000);

        assertThat(losses).hasSize(1);
        assertThat(sequences.mark(PARTITION).seen()).isEqualTo(101);
    }
}
