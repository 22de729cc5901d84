package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.ledger.LossRows.Loss;
import dev.rush.testing.Scene;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** How many numbers of a loss are counted as lost, each scene in its own partition. */
final class LostNumbersSqlScenes extends LossScenes {

    LostNumbersSqlScenes(TestJournal test) {
        super(test, 10_000);
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("I6: an order from before an earlier loss of its number does not count for a"
                + " later one", this::generations);
        all.put("numbers from the time of the loss that no store has are lost", this::counted);
        all.put("a large loss is counted in parts", this::parts);
        all.put("numbers that were skipped in the time of a loss are not lost", this::skipped);
        all.put("numbers that were given out after they were skipped are lost", this::unskipped);
        all.put("orders with skipped numbers are counted once", this::given);
        return all;
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
        assertThat(count(loss, 10)).isEqualTo(new LossRows.Count(20, 5, 5));
        assertThat(count(loss, 10)).isNull();
        note(9, 20, 100, 200);
        assertThat(count(loss, 10)).isNull();
        assertThat(losses().get(0).counted()).isNull();
        restored(losses().get(0), true);
        assertThat(count(losses().get(0), 9)).as("number 10 is stored")
                .isEqualTo(new LossRows.Count(20, 5, 0));
        note(9, 21, 100, 200);
        note(9, 22, 100, 200);
        restored(losses().get(0), true);
        assertThat(count(losses().get(0), 9)).as("number 21 is stored")
                .isEqualTo(new LossRows.Count(22, 6, 1));
        note(30, 40, 100, 200, false, 0);
        restored(losses().get(0), true);
        loss = losses().get(0);
        note(30, 40, 100, 199, false, 0);
        assertThat(count(loss, 30)).as("as it was noticed earlier").isNull();
        assertThat(count(losses().get(0), 30)).isEqualTo(new LossRows.Count(40, 10, 10));
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
        assertThat(count(losses().get(0), 10)).isEqualTo(new LossRows.Count(100_010, -1, 0));
        Loss loss = losses().get(0);
        assertThat(loss.counted()).isEqualTo(100_010);
        assertThat(count(loss, loss.counted())).isEqualTo(new LossRows.Count(200_010, -1, 0));
        assertThat(count(losses().get(0), 200_010))
                .isEqualTo(new LossRows.Count(high, 2 * LossRows.PART + 7,
                        2 * LossRows.PART + 7));
        assertThat(test.sql("SELECT lost FROM losses WHERE partition = " + partition))
                .isEqualTo(Long.toString(2 * LossRows.PART + 7));
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
        return lost(sinceMs, 0);
    }

    private long lost(long sinceMs, long tenureBegunMs) {
        note(10, 30, sinceMs, 200, sinceMs > 0, tenureBegunMs);
        return countLast();
    }

    private long countLast() {
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
            {"14, 15, 180", "20"}, {"14, 15, 181", "17"}, {"14, 15, 120", "17"}}) {
            partition++;
            test.sql("INSERT INTO losses (partition, low, high, noticed_at_ms, exact, lost,"
                    + " restored_at) VALUES (" + partition + ", " + other[0] + ", true, 0, now())");
            test.sql("INSERT INTO skipped_numbers VALUES (" + partition + ", 12, 15, 120)");
            assertThat(lost(100, 180)).as(other[0]).isEqualTo(Long.parseLong(other[1]));
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

    private void generations() {
        String[][] cases = {{"12, 20, 160", "20"}, {"13, 20, 160", "19"}, {"9, 13, 160", "20"},
            {"9, 12, 160", "19"}, {"9, 20, 149", "19"}, {"9, 20, 161", "19"}};
        for (String[] earlier : cases) {
            partition++;
            UUID order = test.order(test.sale("a:99:0"), "u", null, "a:1", 0);
            test.sql("UPDATE orders SET partition = " + partition + ", seq = 13,"
                    + " placed_at_ms = 149 WHERE id = '" + order + "'");
            String row = "INSERT INTO losses (partition, low, high, noticed_at_ms, exact, lost,"
                    + " restored_at) VALUES (%d, %s, true, 0, now())";
            test.sql(row.formatted(partition, earlier[0]));
            test.sql(row.formatted(partition + 1_000, "9, 20, 160"));
            note(10, 30, 100, 200, true, 160);
            assertThat(countLast()).as(earlier[0]).isEqualTo(Long.parseLong(earlier[1]));
            test.sql("DELETE FROM losses WHERE high = 30 AND partition = " + partition);
            assertThat(lost(100)).as("in an unknown tenure").isEqualTo(19);
        }
    }
}
