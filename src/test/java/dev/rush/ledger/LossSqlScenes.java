package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.LossRows.Loss;
import dev.rush.testing.Scene;
import java.util.LinkedHashMap;
import java.util.Map;

/** Which reports are about the same loss, and until when a loss is open; each in its partition. */
final class LossSqlScenes extends LossScenes {

    LossSqlScenes(TestJournal test) {
        super(test, 100);
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("B4: pods that report the same loss create one row", this::joined);
        all.put("B4: known times win, and later reports find that row", this::timed);
        all.put("B4: losses of two failovers stay apart", this::apart);
        all.put("B4: the next loss is another one, even if it began at once", this::next);
        all.put("I6: a loss in a tenure that began after another was noticed is kept apart",
                this::tenures);
        all.put("I6: losses before and after a raise are kept apart", this::raisedBetween);
        all.put("I6: a loss that took Redis lower than an earlier one is kept apart", this::lower);
        all.put("B4: exact times replace the time of a reply", this::exact);
        all.put("a loss from before a raise says nothing of a later one", this::raised);
        all.put("a loss is open until it is restored and counted", this::open);
        return all;
    }

    private String rows() {
        return test.sql("SELECT string_agg(concat_ws(' ', low, high, since_ms, noticed_at_ms,"
                + " COALESCE(lost::text, 'open')), ', ' ORDER BY id) FROM losses"
                + " WHERE partition = " + partition);
    }

    private void countedBefore(String time) {
        test.sql("UPDATE losses SET lost = 5, restored_at = now(), noticed_at = now() - interval '"
                + time + "' WHERE partition = " + partition);
    }

    private void assertTold(String rows) {
        assertThat(rows()).isEqualTo(rows);
        partition++;
    }

    private void joined() {
        partition++;
        note(100, 103, 1_000, 5_000);
        note(100, 105, 1_000, 5_000);
        note(100, 101, 1_000, 5_000);
        assertTold("100 105 1000 5000 open");
        note(100, 105, 1_000, 5_000);
        countedBefore("1 day");
        note(100, 104, 1_000, 5_000);
        assertTold("100 105 1000 5000 5");
        note(100, 105, 1_000, 5_000);
        countedBefore("1 minute");
        note(100, 107, 1_000, 5_000);
        assertTold("100 107 1000 5000 open");
        note(100, 105, 1_000, 5_000);
        countedBefore("1 minute");
        note(90, 104, 1_000, 5_000);
        assertThat(losses()).noneMatch(Loss::restored);
        assertTold("90 105 1000 5000 open");
    }

    private void timed() {
        partition++;
        note(100, 103, 0, 4_000);
        countedBefore("1 minute");
        note(100, 103, 1_000, 5_000);
        note(100, 105, 1_000, 5_000);
        assertTold("100 105 1000 5000 open");
        note(100, 105, 1_000, 5_000);
        note(102, 106, 0, 5_500);
        assertTold("100 106 1000 5000 open");
        note(100, 105, 1_000, 5_000);
        test.sql("INSERT INTO losses (partition, low, high, noticed_at_ms) VALUES (" + partition
                + ", 100, 120, 5001)");
        note(100, 106, 1_000, 5_000);
        assertTold("100 106 1000 5000 open, 100 120 0 5001 open");
    }

    /** The numbers of the second loss were given out as soon as the first had been noticed. */
    private void next() {
        partition++;
        note(0, 100, 0, 4_000);
        countedBefore("1 hour");
        note(0, 120, 3_900, 900_000);
        assertTold("0 100 0 4000 5, 0 120 3900 900000 open");
        note(0, 120, 3_900, 900_000);
        note(0, 100, 0, 4_000);
        assertTold("0 120 3900 900000 open, 0 100 0 4000 open");
    }

    private void apart() {
        partition++;
        note(100, 105, 1_000, 5_000);
        note(100, 105, 5_000, 9_000);
        assertTold("100 105 1000 5000 open, 100 105 5000 9000 open");
        note(100, 105, 1_000, 5_000);
        note(0, 180, 0, 300_000);
        assertTold("100 105 1000 5000 open, 0 180 0 300000 open");
        note(103, 105, 0, 5_000);
        note(100, 107, 0, 4_000);
        note(107, 109, 0, 6_000);
        countedBefore("11 minutes");
        note(103, 105, 0, 5_000);
        assertTold("100 107 0 4000 5, 107 109 0 6000 5, 103 105 0 5000 open");
    }

    /** Redis lost some orders in a failover, and 26 seconds later it was emptied. */
    private void tenures() {
        partition++;
        note(178, 183, 1_000, 5_000, true, 1_000);
        note(0, 242, 1_000, 31_000, false, 5_000);
        assertTold("178 183 1000 5000 open, 0 242 1000 31000 open");
        note(0, 242, 1_000, 31_000, false, 5_000);
        note(178, 183, 1_000, 5_000, true, 1_000);
        assertTold("0 242 1000 31000 open, 178 183 1000 5000 open");
        note(0, 105, 0, 6_000, false, 5_000);
        note(0, 103, 0, 9_000, false, 8_000);
        assertTold("0 105 0 6000 open, 0 103 0 9000 open");
        note(0, 105, 0, 6_000, false, 5_000);
        note(0, 107, 900, 5_900, false, 5_000);
        note(0, 108, 0, 7_000, false, 1_000);
        note(0, 104, 0, 6_500, false, 0);
        assertTold("0 108 900 5900 open");
        note(0, 105, 0, 6_000, false, 5_000);
        note(0, 106, 900, 5_900, false, 1_000);
        assertTold("0 106 900 5900 open");
        note(0, 105, 0, 4_000, false, 5_000);
        note(0, 106, 0, 4_500, false, 5_000);
        assertTold("0 106 0 4000 open");
        note(0, 105, 1_000, 20_020, false, 1_000);
        note(0, 103, 20_010, 80_000, false, 20_010);
        assertTold("0 105 1000 20020 open, 0 103 20010 80000 open");
        note(0, 105, 0, 6_000, false, 0);
        countedBefore("1 minute");
        test.sql("UPDATE losses SET counted = 105 WHERE partition = " + partition);
        note(0, 103, 0, 6_100, false, 5_000);
        assertThat(losses()).extracting(Loss::counted).containsOnlyNulls();
        note(0, 102, 0, 4_900, false, 1_000);
        assertTold("0 105 0 6000 open, 0 102 0 4900 open");
    }

    private void raisedBetween() {
        partition++;
        note(0, 105, 1_000, 6_000, false, 5_000);
        skipped(partition, 7_000);
        note(0, 110, 0, 8_000, false, 0);
        note(0, 110, 1_000, 6_100, false, 5_000);
        assertTold("0 110 1000 6000 open, 0 110 0 8000 open");
        skipped(partition, 7_000);
        note(0, 110, 0, 8_000, false, 0);
        note(0, 105, 1_000, 6_000, false, 5_000);
        assertTold("0 110 0 8000 open, 0 105 1000 6000 open");
        note(0, 105, 1_000, 6_000, false, 5_000);
        skipped(partition, 6_000);
        skipped(partition, 8_000);
        skipped(partition + 1, 7_000);
        note(0, 110, 0, 8_000, false, 0);
        assertTold("0 110 1000 6000 open");
    }

    private void skipped(int raised, long atMs) {
        test.sql("INSERT INTO skipped_numbers VALUES (" + raised + ", 0, 105, " + atMs + ")");
    }

    /** A failover lost numbers; then Redis was emptied, and the ledger showed it first. */
    private void lower() {
        partition++;
        note(105, 109, 1_000, 5_000, true, 1_000);
        note(0, 159, 0, 32_000, false, 0);
        note(0, 159, 1_000, 40_000, true, 5_000);
        assertTold("105 109 1000 5000 open, 0 159 1000 40000 open");
        note(0, 159, 0, 32_000, false, 0);
        note(105, 109, 1_000, 5_000, true, 1_000);
        assertTold("0 159 0 32000 open, 105 109 1000 5000 open");
        note(105, 109, 1_000, 5_000, true, 1_000);
        note(107, 120, 0, 5_500, false, 0);
        note(105, 121, 0, 5_600, false, 0);
        note(106, 119, 0, 5_000, false, 0);
        note(105, 122, 0, 4_990, false, 0);
        assertTold("105 122 1000 5000 open");
        note(105, 109, 1_000, 5_000, true, 1_000);
        note(107, 120, 0, 4_990, false, 0);
        assertTold("105 109 1000 5000 open, 107 120 0 4990 open");
        note(105, 109, 0, 5_000, false, 0);
        note(0, 159, 0, 32_000, false, 0);
        assertTold("105 109 0 5000 open, 0 159 0 32000 open");
        note(105, 109, 1_000, 5_000, true, 1_000);
        note(0, 120, 1_000, 5_500, false, 900);
        assertTold("0 120 1000 5000 open");
    }

    /** A reply showed the loss to one pod, a check-in to another. */
    private void exact() {
        partition++;
        note(0, 105, 1_000, 5_010, false, 1_000);
        countedBefore("1 minute");
        test.sql("UPDATE losses SET counted = 105 WHERE partition = " + partition);
        note(0, 104, 900, 5_003, true, 1_000);
        assertThat(losses()).extracting(Loss::counted).containsOnlyNulls();
        assertTold("0 105 900 5003 open");
        note(0, 104, 900, 5_003, true, 1_000);
        countedBefore("1 minute");
        note(0, 104, 1_000, 5_001, false, 1_000);
        note(0, 104, 800, 5_001, false, 1_000);
        assertTold("0 104 900 5003 5");
        note(0, 105, 0, 70_000, false, 0);
        note(0, 104, 1_000, 5_000, true, 0);
        assertTold("0 105 0 70000 open, 0 104 1000 5000 open");
        note(0, 105, 0, 70_000, false, 1_000);
        note(0, 104, 1_000, 131_000, true, 1_000);
        assertTold("0 105 1000 131000 open");
        note(0, 104, 1_000, 131_000, true, 1_000);
        note(0, 105, 0, 70_000, false, 1_000);
        assertTold("0 105 1000 131000 open");
        note(0, 104, 1_000, 700_000, true, 1_000);
        note(0, 105, 0, 100_000, false, 1_000);
        note(0, 106, 0, 99_999, false, 1_000);
        note(0, 107, 0, 1_300_001, false, 1_000);
        assertTold("0 105 1000 700000 open, 0 107 0 99999 open");
        note(0, 104, 1_000, 5_001, false, 1_000);
        note(0, 104, 1_000, 5_002, false, 1_000);
        countedBefore("1 minute");
        note(0, 104, 1_100, 5_003, false, 1_000);
        assertTold("0 104 1100 5001 open");
    }

    private boolean isKnown(long low, long high) {
        return test.transact((connection, ledgerState) ->
                LossRows.isKnown(connection, partition, low, high));
    }

    private void raised() {
        partition++;
        note(10, 20, 0, 200);
        test.sql("INSERT INTO skipped_numbers VALUES (" + partition + ", 10, 20, 200)");
        test.sql("INSERT INTO skipped_numbers VALUES (" + (partition + 1) + ", 10, 20, 300)");
        assertThat(isKnown(10, 20)).isTrue();
        test.sql("INSERT INTO skipped_numbers VALUES (" + partition + ", 10, 20, 201)");
        assertThat(isKnown(10, 20)).as("Redis has lost the raise").isFalse();
        partition++;
    }

    private void open() {
        partition++;
        note(10, 20, 0, 200);
        Loss loss = losses().get(0);
        assertThat(loss.restored()).isFalse();
        restored(loss, false);
        assertThat(losses()).hasSize(1).allMatch(Loss::restored);
        restored(loss, true);
        assertThat(count(loss, 10)).isEqualTo(new LossRows.Count(20, 10, 10));
        assertThat(losses()).isEmpty();
        assertThat(isKnown(10, 20)).isTrue();
        assertThat(isKnown(10, 21)).isFalse();
        assertThat(isKnown(9, 20)).as("more is lost").isFalse();
        note(5, 12, 0, 200);
        assertThat(losses()).hasSize(1).allMatch(again -> again.low() == 5 && !again.restored());
        restored(loss, true);
        assertThat(losses()).hasSize(1).noneMatch(Loss::restored);
    }
}
