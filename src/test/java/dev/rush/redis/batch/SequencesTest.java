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
 * I6: numbers alone show what a failover lost. It is counted once, whatever the order of replies.
 */
class SequencesTest {
    private static final Partition PARTITION = Gate.PARTITIONS.all().get(7);
    private final List<SequenceLost> losses = new ArrayList<>();
    private final Sequences sequences = new Sequences(
            Gate.PARTITIONS, Gate.event(losses::add), new SimpleMeterRegistry());

    private void reply(Mark before, long now) {
        sequences.observe(PARTITION, before, Tenure.UNKNOWN, now, 0, 0);
    }

    private void replyToOneSentNow(long now) {
        reply(sequences.mark(PARTITION), now);
    }

    @Test
    @DisplayName("I6: a second loss is counted, even if its numbers are above the first one's")
    void secondLossAboveTheFirstIsCounted() {
        replyToOneSentNow(10);
        replyToOneSentNow(5);
        replyToOneSentNow(9);

        replyToOneSentNow(6);

        assertThat(sequences.lost()).isEqualTo(5 + 3);
        assertThat(losses).hasSize(2);
    }

    @Test
    @DisplayName("I6: a late reply of the old master does not count its orders again")
    void lateReplyOfTheOldMasterCountsNothing() {
        replyToOneSentNow(10);
        Mark beforeTheLoss = sequences.mark(PARTITION);
        replyToOneSentNow(5);

        reply(beforeTheLoss, 12);
        replyToOneSentNow(6);

        assertThat(sequences.lost()).isEqualTo(5);
    }

    @Test
    @DisplayName("I6: calls in flight at a loss count it once, down to its lowest number")
    void callsInFlightCountALossOnce() {
        replyToOneSentNow(10);
        Mark beforeTheLoss = sequences.mark(PARTITION);

        reply(beforeTheLoss, 7);
        reply(beforeTheLoss, 4);
        reply(beforeTheLoss, 8);

        assertThat(sequences.lost()).isEqualTo(6);
    }

    @Test
    @DisplayName("I6: while the number grows, nothing is lost")
    void nothingIsLostWhileTheNumberGrows() {
        replyToOneSentNow(10);
        replyToOneSentNow(10);
        replyToOneSentNow(11);

        assertThat(sequences.lost()).isZero();
        assertThat(losses).isEmpty();
    }
}
