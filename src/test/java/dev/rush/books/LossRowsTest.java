package dev.rush.books;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.order.TestLedger;
import dev.rush.redis.Partition;
import dev.rush.redis.batch.SequenceLost;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** B4: what several pods tell of one loss is one row, and two losses are two. */
class LossRowsTest {
    private static EmbeddedLedger postgres;
    private static TestLedger test;
    private static Partition partition;

    @BeforeAll
    static void start() {
        postgres = EmbeddedLedger.start();
        test = new TestLedger(postgres.freshDatabase());
        partition = test.partitions.all().get(7);
    }

    @AfterAll
    static void stop() throws Exception {
        test.close();
        postgres.close();
    }

    @BeforeEach
    void empty() {
        test.sql("DELETE FROM losses");
    }

    private static void tell(long low, long high, long since, long noticed) {
        test.ledger.transact(connection -> {
            LossRows.note(connection,
                    new SequenceLost(partition, low, high, since, noticed));
            return null;
        });
    }

    /** Rows as "low high since noticed lost", by their ids. */
    private static String rows() {
        return test.sql("SELECT COALESCE(string_agg(concat_ws(' ', low, high, since_ms,"
                + " noticed_at_ms, COALESCE(lost::text, 'open')), ', ' ORDER BY id), '')"
                + " FROM losses");
    }

    private static void countedBefore(String time) {
        test.sql("UPDATE losses SET lost = 5, restored_at = now(),"
                + " noticed_at = now() - interval '" + time + "'");
    }

    @Test
    void podsThatSawMoreOrLessTellOfOneLoss() {
        tell(100, 103, 1_000, 5_000);
        tell(100, 105, 1_000, 5_000);
        tell(100, 101, 1_000, 5_000);

        assertThat(rows()).isEqualTo("100 105 1000 5000 open");
    }

    @Test
    @DisplayName("B4: two failovers are two losses, though the numbers are the same")
    void sameNumbersOfTwoTenuresAreTwoLosses() {
        tell(100, 105, 1_000, 5_000);
        tell(100, 105, 5_000, 9_000);

        assertThat(rows()).isEqualTo("100 105 1000 5000 open, 100 105 5000 9000 open");
    }

    @Test
    @DisplayName("B4: a pod that tells a day later tells of the same loss, which stays counted")
    void podThatTellsLateChangesNothing() {
        tell(100, 105, 1_000, 5_000);
        countedBefore("1 day");
        tell(100, 104, 1_000, 5_000);

        assertThat(rows()).isEqualTo("100 105 1000 5000 5");
    }

    @Test
    void lossThatProvesLargerIsCountedAgain() {
        tell(100, 105, 1_000, 5_000);
        countedBefore("1 minute");
        tell(100, 107, 1_000, 5_000);

        assertThat(rows()).isEqualTo("100 107 1000 5000 open");
    }

    @Test
    @DisplayName("B4: known times win, and whoever tells later finds that row")
    void timesReplaceTheTimeOfAReply() {
        tell(100, 103, 0, 4_000);
        countedBefore("1 minute");
        tell(100, 103, 1_000, 5_000);
        tell(100, 105, 1_000, 5_000);

        assertThat(rows()).isEqualTo("100 105 1000 5000 open");
    }

    @Test
    void timesStayWhenNumbersAloneTellTheSame() {
        tell(100, 105, 1_000, 5_000);
        tell(102, 106, 0, 5_500);

        assertThat(rows()).isEqualTo("100 106 1000 5000 open");
    }

    @Test
    void lossWithoutTimesThatComesMuchLaterIsAnother() {
        tell(100, 105, 1_000, 5_000);
        tell(0, 180, 0, 300_000);

        assertThat(rows()).isEqualTo("100 105 1000 5000 open, 0 180 0 300000 open");
    }

    @Test
    void lossesWithoutTimesAreOneIfTheyOverlapSoonEnough() {
        tell(100, 105, 0, 5_000);
        tell(103, 107, 0, 4_000);
        tell(107, 109, 0, 6_000);
        countedBefore("11 minutes");
        tell(100, 105, 0, 5_000);

        assertThat(rows()).isEqualTo("100 107 0 4000 5, 107 109 0 6000 5, 100 105 0 5000 open");
    }

    @Test
    void rowOfTheSameTimesIsFoundBeforeANewerOneThatOverlaps() {
        tell(100, 105, 1_000, 5_000);
        test.sql("INSERT INTO losses (partition, low, high, noticed_at_ms) VALUES ("
                + partition.index() + ", 90, 120, 5001)");
        tell(100, 106, 1_000, 5_000);

        assertThat(rows()).isEqualTo("100 106 1000 5000 open, 90 120 0 5001 open");
    }

    @Test
    @DisplayName("B4: of numbers that were given out twice, the orders of the loss's time count")
    void ordersOfOtherTimesAreNotTakenForLostOnes() {
        tell(100, 105, 1_000, 5_000);
        test.sql("INSERT INTO grabs SELECT gen_random_uuid(), 'r', 'u', seq, seq, seq, 1,"
                + " 'confirmed', at, " + partition.index() + ", seq FROM (VALUES (101, 999),"
                + " (102, 1000), (103, 4999), (104, 5000)) AS stored (seq, at)");

        test.ledger.transact(connection -> LossRows.count(
                connection, LossRows.open(connection, Set.of()).get(0)));

        assertThat(rows()).isEqualTo("100 105 1000 5000 3");
    }
}
