package dev.rush.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rush.testing.Scene;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Scenes of grabs in the ledger. */
final class GrabRowsSqlScenes {

    private static final int MONTH = TestJournal.MONTH;

    private final TestJournal test;

    GrabRowsSqlScenes(TestJournal test) {
        this.test = test;
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("a user's grabs are read, including rejected ones", this::ofUser);
        all.put("I7: a grab is found by its key", this::byKey);
        all.put("I7: a grab without a key is found by its id", this::withoutKey);
        return all;
    }

    private UUID grab(String table, String rain, int nth, String rest) {
        UUID id = UUID.randomUUID();
        test.sql("INSERT INTO " + table + " VALUES ('%s', %d, 1, 1, 9, 5, %d, 7, 0, '%s', 'u', %s)"
                .formatted(id, MONTH, nth, rain, rest));
        return id;
    }

    private List<GrabRows.Stored> ofUser(int month, String rain, String user) {
        return test.transact((connection, ledgerState) ->
                GrabRows.ofUser(connection, month, rain, user));
    }

    private UUID byKey(int month, String rain, String user, String key) {
        GrabRows.Stored found = test.transact((connection, ledgerState) ->
                GrabRows.byKey(connection, month, rain, user, key));
        return found == null ? null : found.id();
    }

    private void ofUser() {
        String rain = test.id("rain");
        grab("grabs", rain, 1, "NULL");
        grab("grabs", test.id("another"), 1, "NULL");
        grab("rejected_grabs", rain, 2, "NULL, 'limit'");
        assertThat(ofUser(MONTH, rain, "u")).extracting(GrabRows.Stored::nth,
                GrabRows.Stored::number, GrabRows.Stored::amount, GrabRows.Stored::atMs,
                GrabRows.Stored::isRejected)
                .containsExactlyInAnyOrder(tuple(1, 5, 7L, 9L, false), tuple(2, 5, 7L, 9L, true));
        assertThat(ofUser(MONTH, rain, "v")).isEmpty();
        assertThat(ofUser(MONTH + 1, rain, "u")).isEmpty();
    }

    private void byKey() {
        String rain = test.id("rain");
        UUID grab = grab("grabs", rain, 1, "'one'");
        grab("rejected_grabs", rain, 2, "'two', 'limit'");
        assertThat(byKey(MONTH, rain, "u", "one")).isEqualTo(grab);
        assertThat(byKey(MONTH, rain, "u", "two")).isNull();
        assertThat(byKey(MONTH, rain, "v", "one")).isNull();
        assertThat(byKey(MONTH + 1, rain, "u", "one")).isNull();
        assertThat(byKey(MONTH, test.id("another"), "u", "one")).isNull();
    }

    private void withoutKey() {
        String rain = test.id("rain");
        UUID grab = grab("grabs", rain, 1, "NULL");
        String another = test.id("rain");
        UUID keyed = grab("grabs", another, 1, "'one'");
        assertThat(byKey(MONTH, rain, "u", grab.toString())).isEqualTo(grab);
        assertThat(byKey(MONTH, rain, "v", grab.toString())).isNull();
        assertThat(byKey(MONTH, another, "u", keyed.toString())).isNull();
    }
}
