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
 * I6: a pod knows by tenures what a failover has lost, though orders of other pods have taken the
 * lost numbers before it asks again.
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

    private void checkIn(Tenure asked, Tenure... told) {
        sequences.checkIn(PARTITION, List.of(told), asked, NOW);
    }

    private boolean reply(Mark before, Tenure tenure, long number) {
        return sequences.observe(PARTITION, before, tenure, number, 0, NOW);
    }

    private boolean reply(Tenure tenure, long number) {
        return reply(sequences.mark(PARTITION), tenure, number);
    }

    private void seen(long number, Tenure... told) {
        checkIn(sequences.mark(PARTITION).tenure(), told);
        reply(told[told.length - 1], number);
    }

    private long highest() {
        return sequences.mark(PARTITION).number();
    }

    private static SequenceLost lost(long low, long high, Tenure since, Tenure next) {
        return new SequenceLost(PARTITION, low, high, since.begunMs(), next.begunMs());
    }

    @Test
    @DisplayName("I6: what was lost is known by where the next tenure began, not by numbers now")
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
    void firstFailoverThatAPodMissedIsTheOneThatCounts() {
        seen(105, FIRST);

        seen(140, FIRST, SECOND, new Tenure("c", 118, 7_000));

        assertThat(losses).containsExactly(lost(100, 105, FIRST, SECOND));
    }

    @Test
    void tenureThatIsLostItselfTakesItsOrdersAlong() {
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
    @DisplayName("I6: a former master's late replies say that more was lost; each is counted once")
    void lateReplyOfAFormerMasterIsCounted() {
        seen(105, FIRST);
        Mark before = sequences.mark(PARTITION);
        seen(101, FIRST, SECOND);

        assertThat(reply(before, FIRST, 103)).as("asks again").isTrue();
        reply(before, FIRST, 107);
        reply(before, FIRST, 107);

        assertThat(losses).containsExactly(
                lost(100, 105, FIRST, SECOND), lost(100, 107, FIRST, SECOND));
        assertThat(sequences.lost()).isEqualTo(7);
        assertThat(highest()).isEqualTo(101);
    }

    @Test
    void formerMasterThatWasAskedBeforeItsSuccessorWasKnownChangesNothing() {
        seen(105, FIRST);
        seen(110, FIRST, LOSSLESS);

        checkIn(FIRST, FIRST);

        assertThat(losses).isEmpty();
        assertThat(sequences.mark(PARTITION)).extracting(Mark::number, Mark::tenure)
                .containsExactly(110L, LOSSLESS);
    }

    @Test
    void formerMasterWhoseTenureIsLostChangesNothingIfItWasAskedBefore() {
        Tenure third = new Tenure("c", 95, 7_000);
        seen(100, FIRST);
        seen(110, FIRST, SECOND);
        seen(97, FIRST, third);

        checkIn(SECOND, FIRST, SECOND);

        assertThat(losses).hasSize(1);
        assertThat(sequences.mark(PARTITION).tenure()).isEqualTo(third);
    }

    @Test
    void tenuresThatRedisHidesForAWhileAreForgotten() {
        seen(105, FIRST);

        sequences.forgetTenures(PARTITION);
        reply(Tenure.UNKNOWN, 160);
        checkIn(null, FIRST, new Tenure("b", 138, 7_000));

        assertThat(losses).isEmpty();
        assertThat(highest()).isEqualTo(160);
    }

    @Test
    void processThatIsMasterAgainWithoutItsSuccessorsTenureHasLostThatTenure() {
        seen(105, FIRST);
        seen(110, FIRST, LOSSLESS);

        seen(120, FIRST);

        assertThat(losses).containsExactly(
                new SequenceLost(PARTITION, 105, 110, 0, NOW));
        assertThat(highest()).isEqualTo(120);
        assertThat(reply(FIRST, 121)).as("asks again").isFalse();
    }

    @Test
    void connectionThatMissedTwoFailoversAsksAgainAndCountsNothing() {
        seen(105, FIRST);
        checkIn(FIRST, FIRST, LOSSLESS, new Tenure("a", 110, 7_000));

        assertThat(reply(FIRST, 130)).as("asks again").isTrue();

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
    void tenureThatIsKnownNoMoreIsOlderThanAllThatAre() {
        seen(105, FIRST);

        seen(140, SECOND);

        assertThat(losses).containsExactly(lost(100, 105, FIRST, SECOND));
    }

    @Test
    @DisplayName("I6: where the tenure is not known, numbers that go back show the loss")
    void numberThatGoesBackIsALossWithoutTenures() {
        seen(105, FIRST);

        reply(null, 100);
        seen(103, FIRST, SECOND);

        assertThat(losses).containsExactly(new SequenceLost(PARTITION, 100, 105, 0, NOW));
    }

    @Test
    void numberOfAnUnknownTenureIsNotTakenForOneOfTheLast() {
        seen(105, FIRST);

        reply(null, 108);
        checkIn(FIRST, FIRST, LOSSLESS);

        assertThat(losses).isEmpty();
        assertThat(highest()).isEqualTo(108);
    }

    @Test
    @DisplayName("I6: a process that was emptied is asked anew, and its new orders are no loss")
    void emptiedProcessBeginsAnew() {
        seen(105, FIRST);
        assertThat(reply(FIRST, 0)).as("asks again").isTrue();

        seen(8, new Tenure("a", 5, 6_000));

        assertThat(losses).containsExactly(new SequenceLost(PARTITION, 0, 105, 0, NOW));
        assertThat(highest()).isEqualTo(8);
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
