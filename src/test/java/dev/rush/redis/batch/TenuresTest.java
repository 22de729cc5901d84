package dev.rush.redis.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partition;
import dev.rush.redis.batch.PartitionSequence.Mark;
import dev.rush.redis.cluster.Gate;
import dev.rush.redis.cluster.Tenure;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * I6: tenures show a pod what a failover lost, even if orders of other pods have taken the lost
 * numbers meanwhile.
 */
class TenuresTest {
    private static final Partition PARTITION = Gate.PARTITIONS.all().get(7);
    private static final Tenure FIRST = new Tenure("a", 0, 1_000);
    private static final Tenure SECOND = new Tenure("b", 100, 5_000);
    private static final Tenure LOSSLESS = new Tenure("b", 105, 5_000);
    private static final long NOW = 9_000;

    private final List<SequenceLost> losses = new ArrayList<>();
    private final Sequences sequences = new Sequences(
            Gate.PARTITIONS, Gate.event(losses::add), new SimpleMeterRegistry());

    private void checkIn(Tenure known, Tenure... reported) {
        sequences.checkIn(PARTITION, List.of(reported), known, NOW);
    }

    private boolean reply(Mark before, Tenure tenure, long number) {
        return sequences.observe(PARTITION, before, tenure, number, 0, NOW);
    }

    private boolean reply(Tenure tenure, long number) {
        return reply(sequences.mark(PARTITION), tenure, number);
    }

    private void seen(long number, Tenure... reported) {
        checkIn(sequences.mark(PARTITION).tenure(), reported);
        reply(reported[reported.length - 1], number);
    }

    private long highest() {
        return sequences.mark(PARTITION).number();
    }

    private static SequenceLost lost(long low, long high, Tenure since, Tenure next) {
        long begun = since.begunMs();
        return new SequenceLost(PARTITION, low, high, begun, next.begunMs(), true, 1_000);
    }

    private static SequenceLost inTenure(Tenure tenure, long low, long high) {
        long begun = tenure.begunMs();
        return new SequenceLost(PARTITION, low, high, begun, NOW, false, begun);
    }

    @Test
    @DisplayName("I6: the start of the next tenure shows the loss, whatever the number is now")
    void numbersThatWereGivenOutAgainAreCounted() {
        seen(105, FIRST);

        seen(140, FIRST, SECOND);

        assertThat(losses).containsExactly(lost(100, 105, FIRST, SECOND));
        assertThat(sequences.lost()).isEqualTo(5);
        assertThat(highest()).isEqualTo(140);
    }

    @Test
    void failoverThatLosesNothingIsNoLoss() {
        seen(100, FIRST);

        seen(140, FIRST, SECOND);

        assertThat(losses).isEmpty();
    }

    @Test
    void firstOfTheMissedFailoversCounts() {
        seen(105, FIRST);

        seen(140, FIRST, SECOND, new Tenure("c", 118, 7_000));

        assertThat(losses).containsExactly(lost(100, 105, FIRST, SECOND));
    }

    @Test
    void ordersOfALostTenureAreLost() {
        seen(100, FIRST);
        seen(110, FIRST, SECOND);
        Tenure third = new Tenure("c", 118, 7_000);

        seen(130, FIRST, third);

        assertThat(losses).containsExactly(lost(100, 110, SECOND, third));
    }

    @Test
    void lossMayReachBackBeforeTheLastTenure() {
        seen(105, FIRST);
        seen(110, FIRST, LOSSLESS);
        Tenure third = new Tenure("c", 102, 7_000);

        seen(102, FIRST, third);

        assertThat(losses).containsExactly(lost(102, 110, FIRST, third));
    }

    @Test
    @DisplayName("I6: late replies of a former master show further losses, each counted once")
    void lateReplyOfAFormerMasterIsCounted() {
        seen(105, FIRST);
        Mark before = sequences.mark(PARTITION);
        seen(101, FIRST, SECOND);

        assertThat(reply(before, FIRST, 103)).as("must check in again").isTrue();
        reply(before, FIRST, 107);
        reply(before, FIRST, 107);

        assertThat(losses).containsExactly(
                lost(100, 105, FIRST, SECOND), lost(100, 107, FIRST, SECOND));
        assertThat(sequences.lost()).isEqualTo(7);
        assertThat(highest()).isEqualTo(101);
    }

    @Test
    void lateCheckInAtAFormerMasterChangesNothing() {
        seen(105, FIRST);
        seen(110, FIRST, LOSSLESS);

        checkIn(FIRST, FIRST);

        assertThat(losses).isEmpty();
        assertThat(sequences.mark(PARTITION)).extracting(Mark::number, Mark::tenure)
                .containsExactly(110L, LOSSLESS);
    }

    @Test
    void lateCheckInInALostTenureChangesNothing() {
        Tenure third = new Tenure("c", 95, 7_000);
        seen(100, FIRST);
        seen(110, FIRST, SECOND);
        seen(97, FIRST, third);

        checkIn(SECOND, FIRST, SECOND);

        assertThat(losses).hasSize(1);
        assertThat(sequences.mark(PARTITION).tenure()).isEqualTo(third);
    }

    @Test
    void temporarilyHiddenTenuresAreForgotten() {
        seen(105, FIRST);

        sequences.forgetTenures(PARTITION);
        reply(Tenure.UNKNOWN, 160);
        checkIn(null, FIRST, new Tenure("b", 138, 7_000));

        assertThat(losses).isEmpty();
        assertThat(highest()).isEqualTo(160);
    }

    @Test
    void formerMasterWithoutItsSuccessorsTenureHasLostIt() {
        seen(105, FIRST);
        seen(110, FIRST, LOSSLESS);

        seen(120, FIRST);

        assertThat(losses).containsExactly(inTenure(LOSSLESS, 105, 110));
        assertThat(highest()).isEqualTo(120);
        assertThat(reply(FIRST, 121)).as("must check in again").isFalse();
    }

    @Test
    void connectionThatMissedTwoFailoversChecksInAgainAndCountsNothing() {
        seen(105, FIRST);
        checkIn(FIRST, FIRST, LOSSLESS, new Tenure("a", 110, 7_000));

        assertThat(reply(FIRST, 130)).as("must check in again").isTrue();

        assertThat(losses).isEmpty();
    }

    @Test
    void slotThatMovesAwayAndBackLosesNothing() {
        seen(105, FIRST);
        seen(120, FIRST, LOSSLESS);
        seen(130, FIRST, LOSSLESS, new Tenure("a", 125, 6_000));

        assertThat(losses).isEmpty();
    }

    @Test
    void droppedTenureIsOlderThanAllOthers() {
        seen(105, FIRST);

        seen(140, SECOND);

        assertThat(losses).containsExactly(lost(100, 105, FIRST, SECOND));
    }

    @Test
    @DisplayName("I6: without a known tenure, a number that decreases shows the loss")
    void decreasingNumberIsALossWithoutTenures() {
        seen(105, FIRST);

        reply(null, 100);
        seen(103, FIRST, SECOND);

        assertThat(losses).containsExactly(new SequenceLost(PARTITION, 100, 105, 0, NOW, false, 0));
    }

    @Test
    void numberOfAnUnknownTenureDoesNotCountForTheLast() {
        seen(105, FIRST);

        reply(null, 108);
        checkIn(FIRST, FIRST, LOSSLESS);

        assertThat(losses).isEmpty();
        assertThat(highest()).isEqualTo(108);
    }

    @Test
    @DisplayName("I6: an emptied process begins a new tenure, and its new orders are no loss")
    void emptiedProcessBeginsANewTenure() {
        seen(105, FIRST);
        assertThat(reply(FIRST, 0)).as("must check in again").isTrue();

        seen(8, new Tenure("a", 5, 6_000));

        assertThat(losses).containsExactly(inTenure(FIRST, 0, 105));
        assertThat(highest()).isEqualTo(8);
    }

    @Test
    @DisplayName("I6: late replies from before Redis was emptied show further losses, each counted "
            + "once")
    void lateRepliesFromBeforeRedisWasEmptiedAreCountedOnce() {
        seen(105, FIRST);
        Mark before = sequences.mark(PARTITION);
        reply(FIRST, 0);

        reply(before, FIRST, 107);
        checkIn(null, new Tenure("a", 0, 6_000));
        reply(before, FIRST, 108);
        reply(before, FIRST, 108);

        assertThat(losses).containsExactly(inTenure(FIRST, 0, 105), inTenure(FIRST, 0, 107),
                inTenure(FIRST, 0, 108));
        assertThat(sequences.lost()).isEqualTo(108);
        assertThat(highest()).isZero();
    }

    @Test
    void lateReplyFromBeforeRedisWasEmptiedNeedsACheckIn() {
        seen(105, FIRST);
        Mark before = sequences.mark(PARTITION);
        reply(FIRST, 0);
        assertThat(reply(before, FIRST, 107)).isTrue();
    }

    @Test
    void lateCheckInFromBeforeRedisWasEmptiedChangesNothing() {
        seen(105, FIRST);
        reply(FIRST, 0);

        checkIn(FIRST, FIRST);

        assertThat(sequences.mark(PARTITION)).extracting(Mark::number, Mark::tenure)
                .containsExactly(0L, null);
    }

    @Test
    void twoDecreasesInOneMillisecondAreTwoLosses() {
        seen(105, FIRST);
        reply(FIRST, 100);
        seen(104, FIRST);
        reply(FIRST, 100);
        assertThat(losses)
                .containsExactly(inTenure(FIRST, 100, 105), inTenure(FIRST, 100, 104));
    }

    @Test
    void replyToACallFromBeforeTheFailoverIsNoSecondLoss() {
        seen(105, FIRST);
        Mark before = sequences.mark(PARTITION);
        checkIn(FIRST, FIRST, SECOND);

        sequences.observe(PARTITION, before, SECOND, 101, 1, NOW);

        assertThat(losses).hasSize(1);
        assertThat(highest()).isEqualTo(101);
    }
}
