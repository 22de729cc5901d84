package dev.rush.ledger.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.rush.ledger.TestJournal;
import dev.rush.ledger.writer.StreamEntry.Grab;
import dev.rush.ledger.writer.StreamEntry.Malformed;
import dev.rush.testing.Scene;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** The promises of the SQL of grabs and retries, each as a scene with its own ids. */
final class GrabSqlScenes {
    private final StoreScene test;

    GrabSqlScenes(TestJournal journal) {
        test = new StoreScene(journal);
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("I13: an envelope is paid once, within the count and amount", this::envelopes);
        all.put("I13: a user's n-th grab and each key is stored once, within the limit",
                this::turns);
        all.put("I7: the id of a grab without a key is its key", this::repeatedId);
        all.put("I13: a rain that is not released pays nothing", this::unreleased);
        all.put("A1: a refused grab is audited once, with its reason", this::audited);
        all.put("no grab is refused while the ledger may be behind", this::behind);
        all.put("I15: a malformed entry is kept unchanged", this::malformed);
        all.put("a dead letter that fails again is retried again", this::again);
        return all;
    }

    private String rain(String rain) {
        return test.journal.sql("SELECT concat_ws(' ', granted, granted_amount, rejected,"
                + " rejected_amount) FROM rains WHERE rain = '" + rain + "'");
    }

    private void envelopes() {
        String rain = test.rain(3, 10, 9);
        Grab first = test.grab(rain, "u", "k", 1, 1, 4);
        Grab same = test.grab(rain, "v", null, 1, 1, 4);
        Grab second = test.grab(rain, "w", null, 2, 1, 7);
        Grab third = test.grab(rain, "x", null, 3, 1, 6);
        test.store(first, same);
        test.store(first);
        assertThat(test.store(second, third, third).refused()).extracting(Batch.Refused::id,
                Batch.Refused::reason).containsExactly(
                        tuple(second.grab(), "every envelope is already granted"));
        assertThat(rain(rain)).isEqualTo("2 10 2 11");
        assertThat(test.store(test.grab(rain, "y", null, 4, 1, 0),
                test.grab(rain, "z", null, 5, 1, 0)).refused()).hasSize(1);
        assertThat(test.journal.sql("SELECT string_agg(concat_ws(' ', user_id, reason), ','"
                + " ORDER BY seq) FROM rejected_grabs WHERE rain = '" + rain + "'"))
                .isEqualTo("v its envelope, turn or key belongs to another grab,"
                        + "w every envelope is already granted,"
                        + "z every envelope is already granted");
    }

    private void turns() {
        String rain = test.rain(9, 90, 2);
        test.store(test.grab(rain, "u", "k", 1, 1, 1), test.grab(rain, "u", "l", 2, 2, 1));
        assertThat(test.store(test.grab(rain, "u", "m", 3, 2, 1),
                test.grab(rain, "v", "k", 4, 1, 1), test.grab(rain, "v", "k", 5, 2, 1),
                test.grab(rain, "u", "n", 6, 3, 1)).refused())
                .extracting(Batch.Refused::reason).containsExactly("the user's limit is reached",
                        "its envelope, turn or key belongs to another grab",
                        "its envelope, turn or key belongs to another grab");
        assertThat(rain(rain)).isEqualTo("3 3 3 3");
    }

    private void repeatedId() {
        String rain = test.rain(9, 90, 5);
        String id = UuidCreator.getTimeOrderedEpochFast().toString();
        Grab first = new Grab("1-1", UUID.fromString(id), rain, "u", null, 1, 1, 1, 1, 1);
        assertThat(test.store(first).refused()).isEmpty();
        Grab later = test.grab(rain, "u", id, 3, 3, 1);
        Grab of = test.grab(rain, "v", id, 4, 1, 1);
        assertThat(test.store(later, of).refused()).extracting(Batch.Refused::id,
                Batch.Refused::reason).containsExactly(
                        tuple(later.grab(), "its envelope, turn or key belongs to another grab"));
        String another = test.rain(9, 90, 5);
        assertThat(test.store(test.grab(another, "u", id, 1, 1, 1)).refused()).isEmpty();
        Grab keyed = new Grab("1-1", UuidCreator.getTimeOrderedEpochFast(), another, "w", "k", 2, 1,
                1, 1, 1);
        assertThat(test.store(keyed).refused()).isEmpty();
        assertThat(test.store(test.grab(another, "w", keyed.grab().toString(), 3, 2, 1))
                .refused()).isEmpty();
        assertThat(test.store(test.grab(another, "w", keyed.grab().toString(), 4, 3, 1))
                .refused()).as("the same key again").hasSize(1);
    }

    private void audited() {
        String rain = test.rain(1, 9, 1);
        Grab second = test.grab(rain, "v", "k", 2, 1, 1);
        Grab third = test.grab(rain, "v", null, 3, 2, 1);
        test.store(test.grab(rain, "u", "k", 1, 1, 1), second, third);
        test.store(second, third);
        String audited = "SELECT string_agg(concat_ws(' ', actor, action, subject, before, after,"
                + " cause), ',' ORDER BY place) FROM audit WHERE subject LIKE '" + rain + "/%'";
        String wanted = "service:guard grab.rejected " + rain + "/" + second.grab()
                + " \"rejected\" every envelope is already granted,"
                + "service:guard grab.rejected " + rain + "/"
                + third.grab() + " \"rejected\" the user's limit is reached";
        assertThat(test.journal.sql(audited)).isEqualTo(wanted);
        test.journal.sql("DELETE FROM rejected_grabs WHERE rain = '" + rain + "'");
        assertThat(test.store(third).refused()).as("refused once more").hasSize(1);
        assertThat(test.journal.sql(audited)).isEqualTo(wanted);
    }

    private void unreleased() {
        String rain = test.rain(9, 90, 2);
        test.journal.sql("UPDATE rains SET state = 'preparing' WHERE rain = '" + rain + "'");
        Grab grab = test.grab(rain, "u", null, 1, 1, 1);
        assertThat(test.store(grab).failed()).extracting(Batch.Failed::reason)
                .containsExactly("the ledger has no rain " + rain);
        test.journal.sql("UPDATE rains SET state = 'loaded' WHERE rain = '" + rain + "'");
        assertThat(test.retry().batch().failed()).isEmpty();
        assertThat(rain(rain)).isEqualTo("1 1 0 0");
    }

    private void behind() {
        String rain = test.rain(1, 9, 2);
        test.journal.sql("UPDATE partitions SET behind_since = now() WHERE partition = 0");
        try {
            assertThat(test.store(test.grab(rain, "u", null, 1, 1, 1),
                    test.grab(rain, "v", null, 2, 1, 1)).failed()).hasSize(1);
            assertThat(test.store(test.grab("lost", "u", null, 1, 1, 1),
                    test.order("lost", "u", "a:1")).failed())
                    .as("what may come back is no dead letter").extracting(Batch.Failed::counts)
                    .containsExactly(false, false);
            test.journal.sql("DELETE FROM retries WHERE subject = 'lost'");
        } finally {
            test.journal.sql("UPDATE partitions SET behind_since = NULL");
        }
        assertThat(rain(rain)).isEqualTo("1 1 0 0");
        assertThat(test.retry().batch().refused()).hasSize(1);
        assertThat(rain(rain)).isEqualTo("1 1 1 1");
    }

    private void malformed() {
        Map<String, String> fields = Map.of("what", "is\0this \\ \"");
        Malformed strange = new Malformed("0-1", fields, "unknown kind of entry");
        assertThat(test.store(strange, strange).failed()).hasSize(2);
        assertThat(test.retry().batch().failed()).extracting(Batch.Failed::reason)
                .containsExactly("unknown kind of entry");
        assertThat(test.journal.sql("DELETE FROM retries WHERE fields ->> 'what'"
                + " = 'isthis \\ \"'")).isEqualTo("1");
    }

    private void again() {
        Grab grab = test.grab("none", "u", null, 1, 1, 1);
        test.store(grab);
        String state = "SELECT state FROM retries WHERE order_id = '" + grab.grab() + "'";
        for (String before : new String[] {"waiting", "replayed"}) {
            test.journal.sql("UPDATE retries SET state = '" + before + "', tries = 5");
            test.store(grab);
            assertThat(test.journal.sql(state)).isEqualTo("retrying");
        }
        test.journal.sql("DELETE FROM retries");
    }
}
