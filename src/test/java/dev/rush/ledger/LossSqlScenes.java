package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.LossRows.Loss;
import dev.rush.testing.Scene;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** The promises of the SQL of losses, each as a scene in its own partition. */
final class LossSqlScenes {
    private final TestJournal test;
    private int partition = 100;

    LossSqlScenes(TestJournal test) {
        this.test = test;
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("B4: pods that report the same loss create one row", this::joined);
        all.put("B4: known times win, and later reports find that row", this::timed);
        all.put("B4: losses of two failovers stay apart", this::apart);
        all.put("B4: the next loss is another one, even if it began at once", this::next);
        all.put("numbers from the time of the loss that no store has are lost", this::counted);
        all.put("a large loss is counted in parts", this::parts);
        all.put("numbers that were skipped in the time of a loss are not lost", this::skipped);
        all.put("numbers that were given out after they were skipped are lost", this::unskipped);
        all.put("orders with skipped numbers are counted once", this::given);
        all.put("a loss from before a raise says nothing of a later one", this::raised);
        all.put("a loss is open until it is restored and counted", this::open);
        return all;
    }

    private void note(long low, long high, long sinceMs, long noticedAtMs) {
        test.transact((connection, ledgerState) -> {
            LossRows.note(connection, partition, low, high, sinceMs, noticedAtMs);
            return null;
        });
    }

    private String rows() {
        return test.sql("SELECT string_agg(concat_ws(' ', low, high, since_ms, noticed_at_ms,"
                + " COALESCE(lost::text, 'open')), ', ' ORDER BY id) FROM losses"
                + " WHERE partition = " + partition);
    }

    private List<Loss> losses() {
        return test.transact((connection, ledgerState) -> LossRows.open(connection, Set.of()))
                .stream().filter(loss -> loss.partition() == partition).toList();
    }

    private LossRows.Count count(Loss loss, long low) {
        return test.transact((connection, ledgerState) ->
                LossRows.count(connection, loss, low, List.of(TestJournal.MONTH)));
    }

    private void restored(Loss loss, boolean drained) {
        test.transact((connection, ledgerState) -> {
            LossRows.restored(connection, loss, drained);
            return null;
        });
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
                + ", 90, 120, 5001)");
        note(100, 106, 1_000, 5_000);
        assertTold("100 106 1000 5000 open, 90 120 0 5001 open");
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
        note(100, 105, 0, 5_000);
        note(103, 107, 0, 4_000);
        note(107, 109, 0, 6_000);
        countedBefore("11 minutes");
        note(100, 105, 0, 5_000);
        assertTold("100 107 0 4000 5, 107 109 0 6000 5, 100 105 0 5000 open");
    }

    private void counted() {
        partition++;
        String sale = test.sale("a:99:0");
        UUID first = test.order(sale, "u", null, "a:1", 0);
        String copy = "INSERT INTO %s SELECT gen_random_uuid(), month, block, %d, %d, pay_by_ms, "
                + partition + ", sale, 'u', NULL, digest, lines, lefts%s FROM orders WHERE id = '"
                + first + "'";
        // Known are 11 to 14 and 17, each in another place; 15 and 16 are of other times.
        test.sql(copy.formatted("orders", 11, 150, ""));
        test.sql(copy.formatted("orders", 11, 151, ""));
        test.sql(copy.formatted("rejected", 12, 100, ", NULL, 'limit'"));
        test.sql(copy.formatted("orders", 15, 200, ""));
        test.sql(copy.formatted("orders", 16, 99, ""));
        test.sql(copy.formatted("orders", 10, 150, ""));
        test.sql(copy.formatted("orders", 21, 150, ""));
        String grab = "INSERT INTO %s VALUES (gen_random_uuid(), " + TestJournal.MONTH
                + ", 1, %d, 150, %d, 1, 1, " + partition + ", '" + sale + "', 'u%d', NULL%s)";
        test.sql(grab.formatted("grabs", 13, 13, 13, ""));
        test.sql(grab.formatted("rejected_grabs", 14, 14, 14, ", 'number'"));
        String retry = "INSERT INTO retries (partition, fingerprint, kind, seq, at_ms, fields,"
                + " reason, tries, state) VALUES (" + partition + ", '%d', 'purchase', %d, 150,"
                + " '{}', 'r', 1, '%s')";
        test.sql(retry.formatted(17, 17, "waiting"));
        test.sql(retry.formatted(18, 18, "replayed"));
        note(10, 20, 100, 200);
        Loss loss = losses().get(0);
        assertThat(count(loss, 10)).as("before it may be counted").isNull();
        restored(loss, false);
        assertThat(count(loss, 10)).as("before the stream is drained").isNull();
        restored(loss, true);
        assertThat(losses().get(0).counted()).isEqualTo(10);
        assertThat(count(loss, 9)).as("not where it goes on").isNull();
        assertThat(count(loss, 10)).isEqualTo(new LossRows.Count(20, 5));
        assertThat(count(loss, 10)).isNull();
        note(9, 20, 100, 200);
        assertThat(count(loss, 10)).isNull();
        assertThat(losses().get(0).counted()).isNull();
        restored(losses().get(0), true);
        assertThat(count(losses().get(0), 9)).isEqualTo(new LossRows.Count(20, 5));
        test.sql("DELETE FROM retries");
    }

    private void parts() {
        partition++;
        String sale = test.sale("a:99:0");
        UUID first = test.order(sale, "u", null, "a:1", 0);
        test.sql("INSERT INTO orders SELECT gen_random_uuid(), month, block, i, 150, pay_by_ms, "
                + partition + ", sale, 'u', NULL, digest, lines, lefts FROM orders,"
                + " unnest(ARRAY[11, 100010, 100011]) AS i WHERE id = '" + first + "'");
        long high = 20 + 2 * LossRows.PART;
        note(10, high, 100, 200);
        restored(losses().get(0), true);
        assertThat(count(losses().get(0), 10)).isEqualTo(new LossRows.Count(100_010, -1));
        Loss loss = losses().get(0);
        assertThat(loss.counted()).isEqualTo(100_010);
        assertThat(count(loss, loss.counted())).isEqualTo(new LossRows.Count(200_010, -1));
        assertThat(count(losses().get(0), 200_010))
                .isEqualTo(new LossRows.Count(high, 2 * LossRows.PART + 10 - 3));
        assertTold("10 " + high + " 100 200 " + (2 * LossRows.PART + 7));
    }

    /** Records skipped numbers as "low high time", and counts the loss of 11 to 30. */
    private long lost(long sinceMs, String... skipped) {
        partition++;
        for (String text : skipped) {
            String[] words = text.split(" ");
            test.transact((connection, ledgerState) -> {
                LossRows.noteSkipped(connection, partition, Long.parseLong(words[0]),
                        Long.parseLong(words[1]), Long.parseLong(words[2]));
                return null;
            });
        }
        return lost(sinceMs);
    }

    private long lost(long sinceMs) {
        note(10, 30, sinceMs, 200);
        Loss loss = losses().get(losses().size() - 1);
        restored(loss, true);
        return count(loss, 10).lost();
    }

    private void skipped() {
        assertThat(lost(100, "12 15 150")).isEqualTo(17);
        assertThat(lost(100, "5 15 100", "25 40 199")).isEqualTo(10);
        assertThat(lost(100, "12 15 120", "15 17 130")).isEqualTo(15);
        assertThat(lost(100, "2 9 150", "31 40 150", "12 12 150")).isEqualTo(20);
        assertThat(lost(100, "12 15 99", "16 19 200")).as("at other times").isEqualTo(20);
        assertThat(lost(0, "12 15 150")).as("at an unknown time").isEqualTo(20);
        partition++;
        assertThat(lost(100)).as("of another partition").isEqualTo(20);
    }

    private void unskipped() {
        assertThat(lost(100, "12 15 120", "14 20 130")).isEqualTo(14);
        assertThat(lost(100, "12 15 120", "14 20 200")).as("later").isEqualTo(17);
        for (String[] other : new String[][] {{"14, 15, 150", "20"}, {"15, 16, 150", "17"},
            {"14, 15, 200", "17"}, {"14, 15, 120", "17"}}) {
            partition++;
            test.sql("INSERT INTO losses (partition, low, high, noticed_at_ms, since_ms, lost,"
                    + " restored_at) VALUES (" + partition + ", " + other[0] + ", 1, 0, now())");
            test.sql("INSERT INTO skipped_numbers VALUES (" + partition + ", 12, 15, 120)");
            assertThat(lost(100)).as(other[0]).isEqualTo(Long.parseLong(other[1]));
        }
    }

    /** An order with a skipped number: it was stored before, or given out later. */
    private void given() {
        String[][] times = {{"140", "17"}, {"150", "19"}, {"199", "19"}, {"200", "17"}};
        for (String[] time : times) {
            partition++;
            UUID order = test.order(test.sale("a:99:0"), "u", null, "a:1", 0);
            test.sql("UPDATE orders SET partition = " + partition + ", seq = 13, placed_at_ms = "
                    + time[0] + " WHERE id = '" + order + "'");
            test.sql("INSERT INTO skipped_numbers VALUES (" + partition + ", 12, 15, 150)");
            assertThat(lost(100)).as(time[0]).isEqualTo(Long.parseLong(time[1]));
        }
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
        assertThat(count(loss, 10)).isEqualTo(new LossRows.Count(20, 10));
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
