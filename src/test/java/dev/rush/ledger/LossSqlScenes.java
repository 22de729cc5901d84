package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.rush.ledger.LossRows.Loss;
import dev.rush.testing.Scene;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** What the SQL of losses promises, each as a scene. */
final class LossSqlScenes {
    private static final int PARTITION = 7;

    private final TestJournal test;

    LossSqlScenes(TestJournal test) {
        this.test = test;
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("I6: what several pods notice of one loss is one loss", this::noted);
        all.put("I6: what is lost is what no store knows", this::counted);
        return all;
    }

    private void note(int partition, long low, long high) {
        test.transact((connection, standing) -> {
            LossRows.note(connection, partition, low, high, 1_000);
            return null;
        });
    }

    private List<Loss> open() {
        return test.transact((connection, standing) -> LossRows.open(connection, Set.of(0)));
    }

    private void noted() {
        note(PARTITION, 10, 20);
        note(PARTITION, 15, 30);
        assertThat(open()).extracting(Loss::low, Loss::high)
                .containsExactly(tuple(10L, 30L));
        note(PARTITION, 40, 50);
        note(PARTITION - 1, 10, 20);
        note(0, 10, 20);
        assertThat(open()).hasSize(3);
        boolean known = test.transact((connection, standing) ->
                LossRows.isKnown(connection, PARTITION, 50));
        boolean more = test.transact((connection, standing) ->
                LossRows.isKnown(connection, PARTITION, 51));
        assertThat(List.of(known, more)).containsExactly(true, false);
        Loss first = open().stream().filter(loss -> loss.high() == 30).findFirst().orElseThrow();
        test.transact((connection, standing) -> {
            LossRows.restored(connection, first);
            return null;
        });
        assertThat(open()).hasSize(3).filteredOn(Loss::restored).hasSize(1);
        note(PARTITION, 12, 18);
        assertThat(open()).filteredOn(Loss::restored).as("a part of it").hasSize(1);
        note(PARTITION, 5, 18);
        assertThat(open()).filteredOn(Loss::restored).as("there is more to restore").isEmpty();
        test.sql("DELETE FROM losses");
    }

    private void counted() {
        String sale = test.sale("a:99:0");
        // In the range: 11 to 20; before the loss: placed at 1 of 1,000.
        for (int seq : new int[] {10, 11, 12, 12, 20, 21}) {
            place(test.order(sale, "u", null, "a:1", 0), seq);
        }
        UUID late = test.order(sale, "u", null, "a:1", 0);
        place(late, 13);
        test.sql("UPDATE orders SET placed_at_ms = 1000 WHERE id = '" + late + "'");
        UUID elsewhere = test.order(sale, "u", null, "a:1", 0);
        test.sql("UPDATE orders SET seq = 14 WHERE id = '" + elsewhere + "'");
        UUID refused = test.order(sale, "u", null, "a:1", 0);
        place(refused, 15);
        test.sql("WITH gone AS (DELETE FROM orders WHERE id = '" + refused + "' RETURNING *)"
                + " INSERT INTO rejected SELECT *, 'limit' FROM gone");
        String grab = " VALUES (gen_random_uuid(), " + TestJournal.MONTH + ", 1, %d, 1, %d, 1, 1,"
                + " " + PARTITION + ", 'losing', 'u', NULL";
        test.sql("INSERT INTO grabs" + grab.formatted(16, 1) + ")");
        test.sql("INSERT INTO rejected_grabs" + grab.formatted(17, 2) + ", 'limit')");
        String retry = "INSERT INTO retries (partition, fingerprint, kind, seq, at_ms, fields,"
                + " reason, tries, state) VALUES (" + PARTITION + ", 'f%1$d', 'p', %1$d, 1, '{}',"
                + " 'r', 1, '%2$s')";
        test.sql(retry.formatted(18, "waiting"));
        test.sql(retry.formatted(19, "replayed"));
        note(PARTITION, 10, 20);
        Loss loss = open().get(0);
        // Known are 11, 12, 15, 16, 17, 18 and 20.
        assertThat(count(loss)).isEqualTo(3);
        assertThat(count(loss)).as("counted before").isEqualTo(-1);
        assertThat(open()).hasSize(1);
        Map<Integer, Long> highest = test.transact((connection, standing) ->
                LossRows.highest(connection));
        assertThat(highest).hasSize(8).containsKey(PARTITION);
        test.sql("DELETE FROM losses");
        test.sql("DELETE FROM retries");
    }

    private void place(UUID id, int seq) {
        test.sql("UPDATE orders SET partition = " + PARTITION + ", seq = " + seq
                + " WHERE id = '" + id + "'");
    }

    private long count(Loss loss) {
        return test.transact((connection, standing) -> LossRows.count(connection, loss));
    }
}
